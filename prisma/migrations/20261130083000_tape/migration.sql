CREATE TABLE "tape_block" (
    "gateway_id" TEXT NOT NULL,
    "boot" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "from_at" TIMESTAMPTZ(3) NOT NULL,
    "to_at" TIMESTAMPTZ(3) NOT NULL,
    "sample" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "dropped" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "tape_block_pkey" PRIMARY KEY ("gateway_id","boot","sequence")
);

CREATE INDEX "tape_block_from_at_idx" ON "tape_block"("from_at");

-- Deflated already.
ALTER TABLE "tape_block" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

CREATE TABLE "tape_client" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "client" TEXT NOT NULL,

    CONSTRAINT "tape_client_pkey" PRIMARY KEY ("hour","client")
);
