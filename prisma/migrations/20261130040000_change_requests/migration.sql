ALTER TABLE "installation" ADD COLUMN "approval_required" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "change_request" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "actor" JSONB NOT NULL,
    "authors" TEXT[],
    "base_epoch" INTEGER NOT NULL,
    "base_version" INTEGER NOT NULL,
    "edits" JSONB NOT NULL,
    "content_hash" TEXT NOT NULL,
    "draft_owner" TEXT,
    "message" TEXT NOT NULL,
    "because" JSONB NOT NULL,
    "acknowledge_gaps" BOOLEAN NOT NULL,
    "audit" JSONB NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" JSONB,
    "reason" TEXT NOT NULL DEFAULT '',
    "version" INTEGER,

    CONSTRAINT "change_request_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "change_request_state_created_at_idx" ON "change_request"("state", "created_at");
