-- What Prisma's schema cannot say: keys of each customer that work, counted from the index alone.
CREATE INDEX "api_key_live_customer" ON "api_key" ("customer_id") WHERE "revoked_at" IS NULL;
