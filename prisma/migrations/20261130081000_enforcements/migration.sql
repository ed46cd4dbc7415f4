-- Changes that made a rule enforced or stricter, watched by their guardrails.
CREATE TABLE "enforcement" (
    "id" TEXT NOT NULL,
    "rule_id" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "revisions" INTEGER[],
    "version" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "actor" JSONB NOT NULL,
    "change" TEXT NOT NULL,
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,
    "guardrail" JSONB,
    "predicted" JSONB,
    "replaces" TEXT,
    "base" JSONB NOT NULL,
    "watched_base" JSONB NOT NULL,
    "looks" JSONB NOT NULL,
    "actual" JSONB NOT NULL,
    "judgement" JSONB,
    "looked_at" TIMESTAMPTZ(3),
    "watched_ms" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL,
    "state_at" TIMESTAMPTZ(3) NOT NULL,
    "held_for" TEXT,
    "undone_version" INTEGER,
    "ended_by" JSONB,
    "outcome" TEXT,

    CONSTRAINT "enforcement_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "enforcement_rule_id_version_idx" ON "enforcement"("rule_id", "version");
CREATE INDEX "enforcement_state_looked_at_idx" ON "enforcement"("state", "looked_at");

ALTER TABLE "change_request" ADD COLUMN "guardrail" JSONB;
ALTER TABLE "scheduled_publish" ADD COLUMN "guardrail" JSONB;
