-- CreateTable
CREATE TABLE "identity_provider" (
    "organization_id" INTEGER NOT NULL,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_secret" TEXT,
    "scopes" TEXT[],
    "groups_claim" TEXT NOT NULL DEFAULT 'groups',
    "roles" JSONB NOT NULL DEFAULT '{}',
    "email_domains" TEXT[],
    "just_in_time" BOOLEAN NOT NULL DEFAULT false,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_provider_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "external_identity" (
    "organization_id" INTEGER NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "external_identity_pkey" PRIMARY KEY ("organization_id","issuer","subject")
);

-- CreateTable
CREATE TABLE "external_session" (
    "organization_id" INTEGER NOT NULL,
    "session_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "external_id" TEXT,
    "id_token" TEXT,

    CONSTRAINT "external_session_pkey" PRIMARY KEY ("organization_id","session_id")
);

-- CreateIndex
CREATE INDEX "identity_provider_email_domains_idx" ON "identity_provider" USING GIN ("email_domains");

-- CreateIndex
CREATE INDEX "external_identity_organization_id_user_id_idx" ON "external_identity"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "external_identity_organization_id_issuer_user_id_key" ON "external_identity"("organization_id", "issuer", "user_id");

-- CreateIndex
CREATE INDEX "external_session_organization_id_issuer_external_id_idx" ON "external_session"("organization_id", "issuer", "external_id");

-- CreateIndex
CREATE INDEX "external_session_organization_id_issuer_subject_idx" ON "external_session"("organization_id", "issuer", "subject");

-- AddForeignKey
ALTER TABLE "external_identity" ADD CONSTRAINT "external_identity_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_session" ADD CONSTRAINT "external_session_organization_id_session_id_fkey" FOREIGN KEY ("organization_id", "session_id") REFERENCES "session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- By hand.
ALTER TABLE "identity_provider" ADD CONSTRAINT "identity_provider_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "external_identity" ADD CONSTRAINT "external_identity_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "external_session" ADD CONSTRAINT "external_session_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
-- Names of groups and the role of each.
ALTER TABLE "identity_provider" ADD CONSTRAINT "identity_provider_roles_check" CHECK (jsonb_typeof(roles) = 'object');
