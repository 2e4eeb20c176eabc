-- CreateTable
CREATE TABLE "second_factor" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "credential_id" BYTEA,
    "public_key" BYTEA,
    "counter" BIGINT,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "secret" TEXT,
    "last_step" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "second_factor_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "recovery_code" (
    "organization_id" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("organization_id","hash")
);

-- CreateIndex
CREATE INDEX "second_factor_organization_id_user_id_idx" ON "second_factor"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "second_factor_organization_id_credential_id_key" ON "second_factor"("organization_id", "credential_id");

-- CreateIndex
CREATE INDEX "recovery_code_organization_id_user_id_idx" ON "recovery_code"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- By hand: tenants, and the columns of each kind.
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_kind_check" CHECK (
  CASE kind
    WHEN 'passkey' THEN credential_id IS NOT NULL AND public_key IS NOT NULL AND counter IS NOT NULL AND secret IS NULL
    WHEN 'authenticator_app' THEN secret IS NOT NULL AND credential_id IS NULL AND public_key IS NULL AND counter IS NULL
    ELSE false
  END);
-- One authenticator app a user: a code does not say which app it is from.
CREATE UNIQUE INDEX "second_factor_one_authenticator_app" ON "second_factor" (organization_id, user_id) WHERE kind = 'authenticator_app';
