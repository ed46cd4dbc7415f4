-- A secret that was rotated out ends by itself; revoked_at is when somebody, or the worker after it, ended it.
ALTER TABLE "key_secret" ADD COLUMN "expires_at" TIMESTAMPTZ(3);

-- What Prisma's schema cannot say: search by the beginning, whatever the database's collation, and the few that expire.
CREATE INDEX "key_secret_prefix_pattern" ON "key_secret" ("prefix" text_pattern_ops);
CREATE INDEX "customer_id_pattern" ON "customer" ("id" text_pattern_ops);
CREATE INDEX "key_secret_expiring" ON "key_secret" ("expires_at") WHERE "expires_at" IS NOT NULL AND "revoked_at" IS NULL;
