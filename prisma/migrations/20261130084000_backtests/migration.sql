CREATE TABLE "backtest_log" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "size" INTEGER NOT NULL DEFAULT 0,
    "parts" INTEGER NOT NULL DEFAULT 0,
    "actor" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "complete_at" TIMESTAMPTZ(3),

    CONSTRAINT "backtest_log_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "backtest_log_created_at_idx" ON "backtest_log"("created_at");

CREATE TABLE "backtest_log_part" (
    "log_id" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "backtest_log_part_pkey" PRIMARY KEY ("log_id","n")
);

ALTER TABLE "backtest_log_part" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
ALTER TABLE "backtest_log_part" ADD CONSTRAINT "backtest_log_part_log_id_fkey"
    FOREIGN KEY ("log_id") REFERENCES "backtest_log"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "backtest" (
    "id" TEXT NOT NULL,
    "actor" JSONB NOT NULL,
    "request" JSONB NOT NULL,
    "body" JSONB NOT NULL,
    "version" INTEGER NOT NULL,
    "log_id" TEXT,
    "log_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "worker" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "done_at" TIMESTAMPTZ(3),
    "progress" INTEGER NOT NULL DEFAULT 0,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "result" JSONB,
    "error" TEXT,

    CONSTRAINT "backtest_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "backtest_state_created_at_idx" ON "backtest"("state", "created_at");
CREATE INDEX "backtest_created_at_idx" ON "backtest"("created_at");
CREATE INDEX "backtest_log_id_idx" ON "backtest"("log_id");

ALTER TABLE "backtest" ADD CONSTRAINT "backtest_log_id_fkey"
    FOREIGN KEY ("log_id") REFERENCES "backtest_log"("id") ON DELETE SET NULL ON UPDATE CASCADE;
