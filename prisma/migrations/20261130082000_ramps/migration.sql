-- Shares of a candidate that rise by a schedule.
CREATE TABLE "candidate_ramp" (
    "id" TEXT NOT NULL,
    "rule_id" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "steps_done" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "actor" JSONB NOT NULL,
    "acknowledge_gaps" BOOLEAN NOT NULL DEFAULT false,
    "acknowledge_radius" BOOLEAN NOT NULL DEFAULT false,
    "guardrail" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'running',
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "left_ms" BIGINT,
    "held" TEXT,
    "held_since" TIMESTAMPTZ(3),
    "live_revision" INTEGER NOT NULL,
    "candidate_revision" INTEGER NOT NULL,
    "checked_epoch" INTEGER NOT NULL,
    "checked_version" INTEGER NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "ended_by" JSONB,
    "outcome" TEXT,

    CONSTRAINT "candidate_ramp_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "candidate_ramp_state_next_at_idx" ON "candidate_ramp"("state", "next_at");
CREATE INDEX "candidate_ramp_rule_id_created_at_idx" ON "candidate_ramp"("rule_id", "created_at");
-- One that goes on or is paused a rule.
CREATE UNIQUE INDEX "candidate_ramp_open" ON "candidate_ramp"("rule_id") WHERE "state" IN ('running', 'paused');
