-- Rules that were set to shadow for a time.
CREATE TABLE "enforcement_stop" (
    "id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "rules" TEXT[],
    "reason" TEXT NOT NULL,
    "actor" JSONB NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "ended_by" JSONB,
    "ended_version" INTEGER,
    "outcome" TEXT,

    CONSTRAINT "enforcement_stop_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "enforcement_stop_ended_at_expires_at_idx" ON "enforcement_stop"("ended_at", "expires_at");

-- Drafts that become a version at a time.
CREATE TABLE "scheduled_publish" (
    "id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "actor" JSONB NOT NULL,
    "base_epoch" INTEGER NOT NULL,
    "base_version" INTEGER NOT NULL,
    "edits" JSONB NOT NULL,
    "message" TEXT NOT NULL,
    "acknowledge_gaps" BOOLEAN NOT NULL DEFAULT false,
    "publish_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "done_at" TIMESTAMPTZ(3),
    "version" INTEGER,
    "outcome" TEXT,

    CONSTRAINT "scheduled_publish_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "scheduled_publish_state_publish_at_idx" ON "scheduled_publish"("state", "publish_at");
