-- Counts by hour and day beside those by minute, and all of them partitioned by time: what is too old goes by dropping a
-- partition. Prisma cannot say PARTITION BY; to it these are plain tables. The worker makes further partitions
-- (lib/ingest/partitions.ts); a default partition takes whatever falls outside, so that no insert ever fails for its time.

ALTER TABLE "count_minute" RENAME TO "count_minute_old";
ALTER TABLE "count_minute_old" DROP CONSTRAINT "count_minute_pkey";
DROP INDEX "count_minute_minute_idx";

CREATE TABLE "count_minute" (
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "rejections" BIGINT NOT NULL,
    "newly" BIGINT NOT NULL,
    "kept" BIGINT NOT NULL,

    CONSTRAINT "count_minute_pkey" PRIMARY KEY ("rule_id","minute","revision","mode","lane","plan","route")
) PARTITION BY RANGE ("minute");

CREATE TABLE "count_hour" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "rejections" BIGINT NOT NULL,
    "newly" BIGINT NOT NULL,
    "kept" BIGINT NOT NULL,
    -- Twelve each: the hour's steps of five minutes.
    "five_requests" BIGINT[] NOT NULL,
    "five_rejections" BIGINT[] NOT NULL,
    "five_newly" BIGINT[] NOT NULL,

    CONSTRAINT "count_hour_pkey" PRIMARY KEY ("rule_id","hour","revision","mode","lane","plan","route")
) PARTITION BY RANGE ("hour");

CREATE TABLE "count_day" (
    "day" TIMESTAMPTZ(0) NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "rejections" BIGINT NOT NULL,
    "newly" BIGINT NOT NULL,
    "kept" BIGINT NOT NULL,

    CONSTRAINT "count_day_pkey" PRIMARY KEY ("rule_id","day","revision","mode","lane","plan","route")
) PARTITION BY RANGE ("day");

ALTER TABLE "client_minute" RENAME TO "client_minute_old";
ALTER TABLE "client_minute_old" DROP CONSTRAINT "client_minute_pkey";
DROP INDEX "client_minute_client_minute_idx", "client_minute_minute_idx";

CREATE TABLE "client_minute" (
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "rejections" BIGINT NOT NULL,
    "newly" BIGINT NOT NULL,

    CONSTRAINT "client_minute_pkey" PRIMARY KEY ("rule_id","minute","revision","mode","lane","client","plan")
) PARTITION BY RANGE ("minute");
CREATE INDEX "client_minute_client_minute_idx" ON "client_minute"("client", "minute");

CREATE TABLE "client_hour" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "rejections" BIGINT NOT NULL,
    "newly" BIGINT NOT NULL,
    "peak" BIGINT NOT NULL,

    CONSTRAINT "client_hour_pkey" PRIMARY KEY ("rule_id","hour","revision","mode","lane","client","plan")
) PARTITION BY RANGE ("hour");
CREATE INDEX "client_hour_client_hour_idx" ON "client_hour"("client", "hour");

CREATE TABLE "client_day" (
    "day" TIMESTAMPTZ(0) NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "rejections" BIGINT NOT NULL,
    "newly" BIGINT NOT NULL,
    "peak" BIGINT NOT NULL,

    CONSTRAINT "client_day_pkey" PRIMARY KEY ("rule_id","day","revision","mode","lane","client","plan")
) PARTITION BY RANGE ("day");
CREATE INDEX "client_day_client_day_idx" ON "client_day"("client", "day");

ALTER TABLE "hit_sample" RENAME TO "hit_sample_old";
ALTER TABLE "hit_sample_old" DROP CONSTRAINT "hit_sample_pkey";
DROP INDEX "hit_sample_rule_id_at_id_idx", "hit_sample_client_at_idx", "hit_sample_request_id_idx",
  "hit_sample_at_idx";

CREATE TABLE "hit_sample" (
    "id" BIGINT NOT NULL DEFAULT nextval('hit_sample_id_seq'),
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "rule_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "lane" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "gateway_id" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "retry_after_seconds" INTEGER,

    CONSTRAINT "hit_sample_pkey" PRIMARY KEY ("at","id")
) PARTITION BY RANGE ("at");
ALTER SEQUENCE "hit_sample_id_seq" OWNED BY "hit_sample"."id";
CREATE INDEX "hit_sample_rule_id_at_id_idx" ON "hit_sample"("rule_id", "at", "id");
CREATE INDEX "hit_sample_client_at_idx" ON "hit_sample"("client", "at");
CREATE INDEX "hit_sample_request_id_idx" ON "hit_sample"("request_id");

ALTER TABLE "gateway_minute" RENAME TO "gateway_minute_old";
ALTER TABLE "gateway_minute_old" DROP CONSTRAINT "gateway_minute_pkey";
DROP INDEX "gateway_minute_minute_idx";

CREATE TABLE "gateway_minute" (
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "gateway_id" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "refused" BIGINT NOT NULL,
    "local" BIGINT NOT NULL,
    "unchecked" BIGINT NOT NULL,
    "batches" INTEGER NOT NULL,
    "dropped_requests" BIGINT NOT NULL,
    "dropped_clients" BIGINT NOT NULL,
    "dropped_hits" BIGINT NOT NULL,
    "missing_batches" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "gateway_minute_pkey" PRIMARY KEY ("gateway_id","minute")
) PARTITION BY RANGE ("minute");
CREATE INDEX "gateway_minute_minute_idx" ON "gateway_minute"("minute");

CREATE TABLE "gateway_hour" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "gateway_id" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "batches" INTEGER NOT NULL,
    "dropped_requests" BIGINT NOT NULL,
    "dropped_clients" BIGINT NOT NULL,
    "dropped_hits" BIGINT NOT NULL,
    "missing_batches" INTEGER NOT NULL DEFAULT 0,
    -- A bit a minute that it reported: the lowest is the hour's first.
    "minutes" BIGINT NOT NULL,

    CONSTRAINT "gateway_hour_pkey" PRIMARY KEY ("gateway_id","hour")
) PARTITION BY RANGE ("hour");
CREATE INDEX "gateway_hour_hour_idx" ON "gateway_hour"("hour");

-- From the oldest row that there is to some time ahead; weeks begin on Monday.
DO $$
DECLARE
  one record;
  starts timestamp;
BEGIN
  -- The bounds of partitions are read in the session's time zone.
  SET LOCAL TIME ZONE 'UTC';
  FOR one IN
    SELECT * FROM (VALUES
      ('count_minute', 'day', (SELECT min("minute") FROM "count_minute_old")),
      ('client_minute', 'day', (SELECT min("minute") FROM "client_minute_old")),
      ('gateway_minute', 'day', (SELECT min("minute") FROM "gateway_minute_old")),
      ('hit_sample', 'day', (SELECT min("at") FROM "hit_sample_old")),
      ('count_hour', 'week', (SELECT min("minute") FROM "count_minute_old")),
      ('client_hour', 'week', (SELECT min("minute") FROM "client_minute_old")),
      ('gateway_hour', 'week', (SELECT min("minute") FROM "gateway_minute_old")),
      ('count_day', 'month', (SELECT min("minute") FROM "count_minute_old")),
      ('client_day', 'month', (SELECT min("minute") FROM "client_minute_old"))
    ) AS tables(name, span, oldest)
  LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', one.name || '_default', one.name);
    starts := date_trunc(one.span, least(one.oldest, now()) AT TIME ZONE 'UTC');
    WHILE starts <= (now() AT TIME ZONE 'UTC') + ('1 ' || one.span)::interval LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        one.name || '_' || to_char(starts, 'YYYYMMDD'), one.name, starts, starts + ('1 ' || one.span)::interval);
      starts := starts + ('1 ' || one.span)::interval;
    END LOOP;
  END LOOP;
END $$;

INSERT INTO "count_minute" ("minute", "rule_id", "revision", "mode", "lane", "plan", "route", "requests", "rejections",
  "newly", "kept")
SELECT "minute", "rule_id", "revision", "mode", "lane", "plan", "route", "requests", "rejections", "newly", "kept"
FROM "count_minute_old";

-- Each hour has all its twelve steps, the empty ones too.
WITH counted AS (
  SELECT date_trunc('hour', "minute", 'UTC') AS "hour", extract(minute FROM "minute")::int / 5 AS "step", "rule_id",
    "revision", "mode", "lane", "plan", "route", "requests", "rejections", "newly", "kept"
  FROM "count_minute_old"
  UNION ALL
  SELECT DISTINCT date_trunc('hour', "minute", 'UTC'), "each", "rule_id", "revision", "mode", "lane", "plan", "route",
    0, 0, 0, 0
  FROM "count_minute_old", generate_series(0, 11) AS "each"),
steps AS (
  SELECT "hour", "step", "rule_id", "revision", "mode", "lane", "plan", "route", sum("requests")::bigint AS "requests",
    sum("rejections")::bigint AS "rejections", sum("newly")::bigint AS "newly", sum("kept")::bigint AS "kept"
  FROM counted GROUP BY "hour", "step", "rule_id", "revision", "mode", "lane", "plan", "route")
INSERT INTO "count_hour" ("hour", "rule_id", "revision", "mode", "lane", "plan", "route", "requests", "rejections",
  "newly", "kept", "five_requests", "five_rejections", "five_newly")
SELECT "hour", "rule_id", "revision", "mode", "lane", "plan", "route", sum("requests"), sum("rejections"), sum("newly"),
  sum("kept"), array_agg("requests" ORDER BY "step"), array_agg("rejections" ORDER BY "step"),
  array_agg("newly" ORDER BY "step")
FROM steps GROUP BY "hour", "rule_id", "revision", "mode", "lane", "plan", "route";

INSERT INTO "count_day" ("day", "rule_id", "revision", "mode", "lane", "plan", "route", "requests", "rejections",
  "newly", "kept")
SELECT date_trunc('day', "hour", 'UTC'), "rule_id", "revision", "mode", "lane", "plan", "route", sum("requests"),
  sum("rejections"), sum("newly"), sum("kept")
FROM "count_hour" GROUP BY 1, "rule_id", "revision", "mode", "lane", "plan", "route";

INSERT INTO "client_minute" ("minute", "rule_id", "revision", "mode", "lane", "client", "plan", "requests",
  "rejections", "newly")
SELECT "minute", "rule_id", "revision", "mode", "lane", "client", "plan", "requests", "rejections", "newly"
FROM "client_minute_old";

INSERT INTO "client_hour" ("hour", "rule_id", "revision", "mode", "lane", "client", "plan", "requests", "rejections",
  "newly", "peak")
SELECT date_trunc('hour', "minute", 'UTC'), "rule_id", "revision", "mode", "lane", "client", "plan", sum("requests"),
  sum("rejections"), sum("newly"), max("requests")
FROM "client_minute_old" GROUP BY 1, "rule_id", "revision", "mode", "lane", "client", "plan";

INSERT INTO "client_day" ("day", "rule_id", "revision", "mode", "lane", "client", "plan", "requests", "rejections",
  "newly", "peak")
SELECT date_trunc('day', "hour", 'UTC'), "rule_id", "revision", "mode", "lane", "client", "plan", sum("requests"),
  sum("rejections"), sum("newly"), max("peak")
FROM "client_hour" GROUP BY 1, "rule_id", "revision", "mode", "lane", "client", "plan";

INSERT INTO "hit_sample" ("id", "at", "request_id", "rule_id", "revision", "mode", "lane", "client", "plan", "method",
  "route", "gateway_id", "epoch", "version", "retry_after_seconds")
SELECT "id", "at", "request_id", "rule_id", "revision", "mode", "lane", "client", "plan", "method", "route",
  "gateway_id", "epoch", "version", "retry_after_seconds"
FROM "hit_sample_old";

INSERT INTO "gateway_minute" ("minute", "gateway_id", "requests", "refused", "local", "unchecked", "batches",
  "dropped_requests", "dropped_clients", "dropped_hits", "missing_batches")
SELECT "minute", "gateway_id", "requests", "refused", "local", "unchecked", "batches", "dropped_requests",
  "dropped_clients", "dropped_hits", "missing_batches"
FROM "gateway_minute_old";

INSERT INTO "gateway_hour" ("hour", "gateway_id", "requests", "batches", "dropped_requests", "dropped_clients",
  "dropped_hits", "missing_batches", "minutes")
SELECT date_trunc('hour', "minute", 'UTC'), "gateway_id", sum("requests"), sum("batches"), sum("dropped_requests"),
  sum("dropped_clients"), sum("dropped_hits"), sum("missing_batches"),
  bit_or(1::bigint << extract(minute FROM "minute")::int)
FROM "gateway_minute_old" GROUP BY 1, "gateway_id";

DROP TABLE "count_minute_old", "client_minute_old", "hit_sample_old", "gateway_minute_old";
