ALTER TABLE "api_token" ADD COLUMN "scopes" TEXT[];
UPDATE "api_token" SET "scopes" = ARRAY["scope"];
ALTER TABLE "api_token" DROP COLUMN "scope";
ALTER TABLE "api_token" ADD COLUMN "expires_at" TIMESTAMPTZ(3);
