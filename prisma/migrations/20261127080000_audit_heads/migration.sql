-- The head of each chain is kept beside its rows, with a MAC that the database cannot make. Links that are made from now on
-- cover the instant of an entry to the microsecond, and say so: a chain that has one of them has a head.
ALTER TABLE "audit_link" ADD COLUMN "form" SMALLINT NOT NULL DEFAULT 1;

CREATE TABLE "audit_head" (
    "organization_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "audit_entry_id" BIGINT NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "events" BIGINT NOT NULL,
    "key_id" TEXT NOT NULL,
    "mac" BYTEA NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_head_pkey" PRIMARY KEY ("organization_id")
);

CREATE TABLE "audit_roll" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "organizations" INTEGER[],
    "key_id" TEXT NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "audit_roll_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "audit_head" ADD CONSTRAINT "audit_head_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "audit_roll" ADD CONSTRAINT "audit_roll_one_row" CHECK ("id");

-- Encrypted values that have no place yet: the next start encrypts them for their rows (src/database/place-values.ts).
CREATE TABLE "unplaced_column" (
    "table_name" TEXT NOT NULL,
    "column_name" TEXT NOT NULL,

    CONSTRAINT "unplaced_column_pkey" PRIMARY KEY ("table_name", "column_name")
);
INSERT INTO "unplaced_column" ("table_name", "column_name")
SELECT 'patient', 'ssn_encrypted' WHERE EXISTS (SELECT FROM patient WHERE ssn_encrypted IS NOT NULL)
UNION ALL
SELECT 'patient', 'guarantor_ssn_encrypted' WHERE EXISTS (SELECT FROM patient WHERE guarantor_ssn_encrypted IS NOT NULL)
UNION ALL
SELECT 'sms_message', 'sealed' WHERE EXISTS (SELECT FROM sms_message WHERE sealed IS NOT NULL)
UNION ALL
SELECT 'mail_message', 'sealed' WHERE EXISTS (SELECT FROM mail_message WHERE sealed IS NOT NULL)
UNION ALL
SELECT 'push_subscription', 'subscription' WHERE EXISTS (SELECT FROM push_subscription)
UNION ALL
SELECT 'webhook_endpoint', 'secret' WHERE EXISTS (SELECT FROM webhook_endpoint)
UNION ALL
SELECT 'signing_key', 'private_pem' WHERE EXISTS (SELECT FROM signing_key)
UNION ALL
SELECT 'push_key', 'private_key' WHERE EXISTS (SELECT FROM push_key);

-- They are kept for ten seconds, and needed by a device that refreshes twice at once.
UPDATE "refresh_token" SET "successor" = NULL WHERE "successor" IS NOT NULL;
