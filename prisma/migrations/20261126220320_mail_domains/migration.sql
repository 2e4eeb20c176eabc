-- DropIndex
DROP INDEX "identity_provider_email_domains_idx";

-- CreateTable
CREATE TABLE "mail_domain" (
    "domain" TEXT NOT NULL,
    "organization_id" INTEGER NOT NULL,
    "proven_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mail_domain_pkey" PRIMARY KEY ("domain")
);

-- CreateIndex
CREATE INDEX "mail_domain_organization_id_idx" ON "mail_domain"("organization_id");

-- AddForeignKey
ALTER TABLE "mail_domain" ADD CONSTRAINT "mail_domain_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "identity_provider"("organization_id") ON DELETE CASCADE ON UPDATE NO ACTION;
