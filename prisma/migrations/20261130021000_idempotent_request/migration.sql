-- Answers of requests that came with an Idempotency-Key.
CREATE TABLE "idempotent_request" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "claim" TEXT NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL,
    "committed_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "answer" TEXT,

    CONSTRAINT "idempotent_request_pkey" PRIMARY KEY ("owner","key")
);
CREATE INDEX "idempotent_request_claimed_at_idx" ON "idempotent_request"("claimed_at");
