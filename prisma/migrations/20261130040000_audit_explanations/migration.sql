-- Stretches of a chain that were sealed under a key that nobody has, as an operator explained them, with a MAC that the database
-- cannot make. A row that is deleted or edited makes its stretch an alarm again.
CREATE TABLE "audit_explanation" (
    "organization_id" INTEGER NOT NULL,
    "first_position" BIGINT NOT NULL,
    "last_position" BIGINT NOT NULL,
    "sealed_under" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "reason" TEXT NOT NULL,
    "operator" TEXT NOT NULL,
    "explained_at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "audit_explanation_pkey" PRIMARY KEY ("organization_id","first_position")
);
ALTER TABLE "audit_explanation" ADD CONSTRAINT "audit_explanation_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);

-- Which master keys the values of a column need: each start asks (src/domain/security/stored-keys.sql.ts). Only rows with a value
-- have an entry. Columns of tables that stay small have none.
CREATE INDEX "patient_ssn_encrypted_key_idx" ON "patient" (split_part(ssn_encrypted, '.', 1)) WHERE ssn_encrypted IS NOT NULL;
CREATE INDEX "patient_guarantor_ssn_encrypted_key_idx" ON "patient" (split_part(guarantor_ssn_encrypted, '.', 1)) WHERE guarantor_ssn_encrypted IS NOT NULL;
CREATE INDEX "sms_message_sealed_key_idx" ON "sms_message" (split_part(sealed, '.', 1)) WHERE sealed IS NOT NULL;
CREATE INDEX "mail_message_sealed_key_idx" ON "mail_message" (split_part(sealed, '.', 1)) WHERE sealed IS NOT NULL;
CREATE INDEX "push_subscription_subscription_key_idx" ON "push_subscription" (split_part(subscription, '.', 1)) WHERE subscription IS NOT NULL;
CREATE INDEX "external_session_id_token_key_idx" ON "external_session" (split_part(id_token, '.', 1)) WHERE id_token IS NOT NULL;
CREATE INDEX "second_factor_secret_key_idx" ON "second_factor" (split_part(secret, '.', 1)) WHERE secret IS NOT NULL;
