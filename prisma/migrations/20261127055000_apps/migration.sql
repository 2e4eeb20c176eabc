-- AlterTable
ALTER TABLE "session" ADD COLUMN     "client_id" TEXT;

-- CreateTable
CREATE TABLE "authorization_code" (
    "organization_id" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "client_id" TEXT NOT NULL,
    "page_session_id" UUID NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "session_id" UUID,

    CONSTRAINT "authorization_code_pkey" PRIMARY KEY ("organization_id","hash")
);

-- CreateIndex
CREATE INDEX "authorization_code_organization_id_client_id_idx" ON "authorization_code"("organization_id", "client_id");

-- CreateIndex
CREATE INDEX "authorization_code_organization_id_page_session_id_idx" ON "authorization_code"("organization_id", "page_session_id");

-- CreateIndex
CREATE INDEX "authorization_code_expires_at_idx" ON "authorization_code"("expires_at");

-- CreateIndex
CREATE INDEX "session_organization_id_client_id_idx" ON "session"("organization_id", "client_id");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_organization_id_client_id_fkey" FOREIGN KEY ("organization_id", "client_id") REFERENCES "api_client_grant"("organization_id", "client_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "authorization_code" ADD CONSTRAINT "authorization_code_organization_id_client_id_fkey" FOREIGN KEY ("organization_id", "client_id") REFERENCES "api_client_grant"("organization_id", "client_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "authorization_code" ADD CONSTRAINT "authorization_code_organization_id_page_session_id_fkey" FOREIGN KEY ("organization_id", "page_session_id") REFERENCES "session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- By hand.
ALTER TABLE "authorization_code" ADD CONSTRAINT "authorization_code_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
