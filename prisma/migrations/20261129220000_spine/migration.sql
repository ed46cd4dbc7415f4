-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "environment" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "directory_seq" INTEGER NOT NULL DEFAULT 0,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "slot" (
    "slot" BIGSERIAL NOT NULL,
    "rule_id" TEXT NOT NULL,
    "counting_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slot_pkey" PRIMARY KEY ("slot")
);

-- CreateTable
CREATE TABLE "revision" (
    "kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "body" JSONB NOT NULL,
    "hash" TEXT NOT NULL,
    "slot" BIGINT,
    "actor" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "revision_pkey" PRIMARY KEY ("kind","object_id","n")
);

-- CreateTable
CREATE TABLE "version" (
    "number" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL,
    "body" BYTEA NOT NULL,
    "hash" TEXT NOT NULL,
    "requires" TEXT[],
    "parent" INTEGER,
    "kind" TEXT NOT NULL,
    "restores" INTEGER,
    "message" TEXT NOT NULL,
    "changes" JSONB NOT NULL,
    "actor" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "version_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "version_item" (
    "version_number" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "lane" TEXT NOT NULL DEFAULT 'live',

    CONSTRAINT "version_item_pkey" PRIMARY KEY ("version_number","kind","object_id","lane")
);

-- CreateTable
CREATE TABLE "draft" (
    "id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "base_epoch" INTEGER NOT NULL,
    "base_version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "draft_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "draft_item" (
    "draft_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "op" TEXT NOT NULL,
    "body" JSONB,
    "edit" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "draft_item_pkey" PRIMARY KEY ("draft_id","kind","object_id")
);

-- CreateTable
CREATE TABLE "customer" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "customer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_secret" (
    "hash" TEXT NOT NULL,
    "hash_key_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "key_secret_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "override" (
    "id" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "rule_id" TEXT NOT NULL,
    "limit" JSONB NOT NULL,
    "owner" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "override_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "directory_change" (
    "epoch" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "entries" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "directory_change_pkey" PRIMARY KEY ("epoch","seq")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "done_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "count_minute_pkey" PRIMARY KEY ("rule_id","minute","revision","mode","lane","plan","route")
);

-- CreateTable
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
);

-- CreateTable
CREATE TABLE "hit_sample" (
    "id" BIGSERIAL NOT NULL,
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

    CONSTRAINT "hit_sample_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "hits_seen" BIGINT NOT NULL,
    "hits_kept" BIGINT NOT NULL,

    CONSTRAINT "gateway_minute_pkey" PRIMARY KEY ("gateway_id","minute")
);

-- CreateTable
CREATE TABLE "ingested_batch" (
    "gateway_id" TEXT NOT NULL,
    "boot" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "ingested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ingested_batch_pkey" PRIMARY KEY ("gateway_id","boot","sequence")
);

-- CreateTable
CREATE TABLE "rejected_entry" (
    "id" BIGSERIAL NOT NULL,
    "stream" TEXT NOT NULL,
    "entry_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rejected_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gateway" (
    "id" TEXT NOT NULL,
    "boot" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "drained_at" TIMESTAMPTZ(3),
    "dismissed_at" TIMESTAMPTZ(3),
    "applied_epoch" INTEGER,
    "applied_version" INTEGER,
    "mode" TEXT NOT NULL,
    "heartbeat" JSONB NOT NULL,

    CONSTRAINT "gateway_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gateway_apply" (
    "gateway_id" TEXT NOT NULL,
    "version_number" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT,

    CONSTRAINT "gateway_apply_pkey" PRIMARY KEY ("gateway_id","version_number")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" JSONB NOT NULL,
    "actor_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "sentence" TEXT NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "version" INTEGER,
    "before" JSONB,
    "after" JSONB,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "raised_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_token" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "hash_key_id" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "role" TEXT NOT NULL DEFAULT 'viewer',
    "banned" BOOLEAN NOT NULL DEFAULT false,
    "ban_reason" TEXT,
    "ban_expires" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "impersonated_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rate_limit" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_request" BIGINT NOT NULL,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "slot_rule_id_counting_hash_key" ON "slot"("rule_id", "counting_hash");

-- CreateIndex
CREATE UNIQUE INDEX "version_epoch_number_key" ON "version"("epoch", "number");

-- CreateIndex
CREATE INDEX "version_item_kind_object_id_idx" ON "version_item"("kind", "object_id");

-- CreateIndex
CREATE UNIQUE INDEX "draft_owner_key" ON "draft"("owner");

-- CreateIndex
CREATE INDEX "customer_plan_idx" ON "customer"("plan");

-- CreateIndex
CREATE INDEX "api_key_customer_id_idx" ON "api_key"("customer_id");

-- CreateIndex
CREATE INDEX "api_key_created_at_idx" ON "api_key"("created_at");

-- CreateIndex
CREATE INDEX "key_secret_api_key_id_idx" ON "key_secret"("api_key_id");

-- CreateIndex
CREATE INDEX "key_secret_prefix_idx" ON "key_secret"("prefix");

-- CreateIndex
CREATE INDEX "override_client_idx" ON "override"("client");

-- CreateIndex
CREATE INDEX "override_rule_id_idx" ON "override"("rule_id");

-- CreateIndex
CREATE INDEX "outbox_done_at_id_idx" ON "outbox"("done_at", "id");

-- CreateIndex
CREATE INDEX "count_minute_minute_idx" ON "count_minute"("minute");

-- CreateIndex
CREATE INDEX "client_minute_client_minute_idx" ON "client_minute"("client", "minute");

-- CreateIndex
CREATE INDEX "client_minute_minute_idx" ON "client_minute"("minute");

-- CreateIndex
CREATE INDEX "hit_sample_rule_id_at_id_idx" ON "hit_sample"("rule_id", "at", "id");

-- CreateIndex
CREATE INDEX "hit_sample_client_at_idx" ON "hit_sample"("client", "at");

-- CreateIndex
CREATE INDEX "hit_sample_request_id_idx" ON "hit_sample"("request_id");

-- CreateIndex
CREATE INDEX "hit_sample_at_idx" ON "hit_sample"("at");

-- CreateIndex
CREATE INDEX "gateway_minute_minute_idx" ON "gateway_minute"("minute");

-- CreateIndex
CREATE INDEX "ingested_batch_ingested_at_idx" ON "ingested_batch"("ingested_at");

-- CreateIndex
CREATE UNIQUE INDEX "rejected_entry_stream_entry_id_key" ON "rejected_entry"("stream", "entry_id");

-- CreateIndex
CREATE INDEX "gateway_apply_version_number_idx" ON "gateway_apply"("version_number");

-- CreateIndex
CREATE INDEX "audit_at_idx" ON "audit"("at");

-- CreateIndex
CREATE INDEX "audit_kind_object_id_at_idx" ON "audit"("kind", "object_id", "at");

-- CreateIndex
CREATE INDEX "audit_actor_id_at_idx" ON "audit"("actor_id", "at");

-- CreateIndex
CREATE INDEX "alert_resolved_at_raised_at_idx" ON "alert"("resolved_at", "raised_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_token_hash_key" ON "api_token"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "account_user_id_idx" ON "account"("user_id");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "rate_limit_key_key" ON "rate_limit"("key");

-- AddForeignKey
ALTER TABLE "version_item" ADD CONSTRAINT "version_item_version_number_fkey" FOREIGN KEY ("version_number") REFERENCES "version"("number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "version_item" ADD CONSTRAINT "version_item_kind_object_id_revision_fkey" FOREIGN KEY ("kind", "object_id", "revision") REFERENCES "revision"("kind", "object_id", "n") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "draft_item" ADD CONSTRAINT "draft_item_draft_id_fkey" FOREIGN KEY ("draft_id") REFERENCES "draft"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_customer_id_fkey" FOREIGN KEY ("customer_id") REFERENCES "customer"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "key_secret" ADD CONSTRAINT "key_secret_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_apply" ADD CONSTRAINT "gateway_apply_version_number_fkey" FOREIGN KEY ("version_number") REFERENCES "version"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say.

ALTER SEQUENCE "slot_slot_seq" MAXVALUE 4294967295;

ALTER TABLE "installation" ADD CONSTRAINT "installation_one_row" CHECK ("id" = 1);
ALTER TABLE "revision" ADD CONSTRAINT "revision_kind" CHECK ("kind" IN ('rule', 'plan', 'routes', 'lists', 'settings'));
ALTER TABLE "version" ADD CONSTRAINT "version_kind" CHECK ("kind" IN ('initial', 'publish', 'mode', 'rollback'));
ALTER TABLE "version_item" ADD CONSTRAINT "version_item_lane" CHECK ("lane" IN ('live', 'candidate'));
ALTER TABLE "draft_item" ADD CONSTRAINT "draft_item_op" CHECK (("op" = 'put' AND "body" IS NOT NULL) OR ("op" = 'delete' AND "body" IS NULL));
ALTER TABLE "gateway" ADD CONSTRAINT "gateway_mode" CHECK ("mode" IN ('shared', 'local'));
ALTER TABLE "gateway_apply" ADD CONSTRAINT "gateway_apply_state" CHECK ("state" IN ('applied', 'refused'));
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_scope" CHECK ("scope" IN ('admin', 'gateway'));
ALTER TABLE "alert" ADD CONSTRAINT "alert_severity" CHECK ("severity" IN ('info', 'warning', 'critical'));

CREATE UNIQUE INDEX "alert_open_key" ON "alert" ("kind", "subject") WHERE "resolved_at" IS NULL;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows never change', TG_OP, TG_TABLE_NAME;
END
$$;

CREATE TRIGGER "audit_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "version_immutable" BEFORE UPDATE OR DELETE OR TRUNCATE ON "version"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "revision_immutable" BEFORE UPDATE OR DELETE OR TRUNCATE ON "revision"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "version_item_immutable" BEFORE UPDATE OR DELETE OR TRUNCATE ON "version_item"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
