CREATE TABLE "webhook_channel" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "kinds" TEXT[],
    "severities" TEXT[],
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "off_why" TEXT,
    "secret" TEXT NOT NULL,
    "earlier_secret" TEXT,
    "earlier_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "webhook_channel_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_delivery" (
    "id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "channel_id" TEXT NOT NULL,
    "alert_id" TEXT,
    "event" TEXT NOT NULL,
    "alert" JSONB NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "give_up_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_answer" TEXT,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "webhook_delivery_channel_id_seq_idx" ON "webhook_delivery"("channel_id", "seq");
CREATE INDEX "webhook_delivery_state_next_at_idx" ON "webhook_delivery"("state", "next_at");

ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_channel_id_fkey"
    FOREIGN KEY ("channel_id") REFERENCES "webhook_channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- In the statement that opens, ends or acknowledges an alert, whoever makes it: neither is there without the other.
-- "Over" is held for as long as what comes back is the same alert; if it does, neither its end nor its return is told.
CREATE FUNCTION tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told TEXT;
  held INTERVAL := INTERVAL '0';
BEGIN
  IF TG_OP = 'INSERT' THEN
    told := 'alert.raised';
  ELSIF OLD.resolved_at IS NULL AND NEW.resolved_at IS NOT NULL THEN
    told := 'alert.resolved';
    held := INTERVAL '60 seconds';
  ELSIF OLD.resolved_at IS NOT NULL AND NEW.resolved_at IS NULL THEN
    told := 'alert.raised';
  ELSIF OLD.acknowledged_at IS NULL AND NEW.acknowledged_at IS NOT NULL THEN
    told := 'alert.acknowledged';
  ELSE
    RETURN NULL;
  END IF;
  WITH unsaid AS (
    DELETE FROM webhook_delivery
    WHERE alert_id = NEW.id AND TG_OP = 'UPDATE' AND told = 'alert.raised'
      AND event = 'alert.resolved' AND state = 'waiting' AND attempts = 0
    RETURNING channel_id)
  INSERT INTO webhook_delivery (id, channel_id, alert_id, event, alert, next_at, give_up_at)
  SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), channel.id, NEW.id, told, to_jsonb(NEW),
    clock_timestamp() + held, clock_timestamp() + held + INTERVAL '24 hours'
  FROM webhook_channel AS channel
  WHERE channel.is_enabled
    AND (cardinality(channel.kinds) = 0 OR NEW.kind = ANY(channel.kinds))
    AND (cardinality(channel.severities) = 0 OR NEW.severity = ANY(channel.severities))
    AND NOT EXISTS (SELECT FROM unsaid WHERE unsaid.channel_id = channel.id);
  RETURN NULL;
END $$;

CREATE TRIGGER alert_tells_webhooks AFTER INSERT OR UPDATE ON "alert"
    FOR EACH ROW EXECUTE FUNCTION tell_webhooks();
