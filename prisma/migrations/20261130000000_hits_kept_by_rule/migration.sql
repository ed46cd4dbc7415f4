-- Which share of a rule's hits is in the log is known by rule, not by gateway: one busy rule says nothing of another.
ALTER TABLE "count_minute" ADD COLUMN "kept" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "count_minute" ALTER COLUMN "kept" DROP DEFAULT;
ALTER TABLE "gateway_minute" DROP COLUMN "hits_seen", DROP COLUMN "hits_kept";
