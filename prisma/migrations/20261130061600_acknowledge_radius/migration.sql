ALTER TABLE "change_request" ADD COLUMN "acknowledge_radius" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "scheduled_publish" ADD COLUMN "acknowledge_radius" BOOLEAN NOT NULL DEFAULT false;
