-- Also for sessions that switch triggers off by session_replication_role, as restores and some tools do.
ALTER TABLE "audit" ENABLE ALWAYS TRIGGER "audit_append_only";
ALTER TABLE "version" ENABLE ALWAYS TRIGGER "version_immutable";
ALTER TABLE "revision" ENABLE ALWAYS TRIGGER "revision_immutable";
ALTER TABLE "version_item" ENABLE ALWAYS TRIGGER "version_item_immutable";
