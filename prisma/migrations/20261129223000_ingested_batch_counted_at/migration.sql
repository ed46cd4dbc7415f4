-- A gap of the sequence belongs to the minute of the batch behind it, also when a late batch closes it.
ALTER TABLE "ingested_batch" ADD COLUMN "counted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now();
ALTER TABLE "ingested_batch" ALTER COLUMN "counted_at" DROP DEFAULT;
