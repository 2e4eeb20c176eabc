CREATE TYPE "client_kind" AS ENUM ('machine', 'app');

CREATE TABLE "api_client_secret" (
    "client_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "hash" TEXT NOT NULL,
    "prefix" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_client_secret_pkey" PRIMARY KEY ("client_id","id")
);

ALTER TABLE "api_client_secret" ADD CONSTRAINT "api_client_secret_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "api_client"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Secrets stay valid. When a secret was last rotated is not known, so that it counts as as old as its client.
INSERT INTO "api_client_secret" ("client_id", "hash", "created_at") SELECT "id", "secret_hash", "created_at" FROM "api_client";

ALTER TABLE "api_client" DROP COLUMN "secret_hash",
ADD COLUMN     "jwks" JSONB,
ADD COLUMN     "jwks_uri" TEXT,
ADD COLUMN     "kind" "client_kind" NOT NULL DEFAULT 'machine',
ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE TABLE "client_assertion" (
    "client_id" TEXT NOT NULL,
    "jti_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "client_assertion_pkey" PRIMARY KEY ("client_id","jti_hash")
);

CREATE INDEX "client_assertion_expires_at_idx" ON "client_assertion"("expires_at");

ALTER TABLE "client_assertion" ADD CONSTRAINT "client_assertion_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "api_client"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
