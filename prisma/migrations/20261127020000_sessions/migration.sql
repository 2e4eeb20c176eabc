-- CreateEnum
CREATE TYPE "session_kind" AS ENUM ('app', 'page');

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "address" TEXT,
ADD COLUMN     "device_id" UUID,
ADD COLUMN     "ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "kind" "session_kind" NOT NULL DEFAULT 'app',
ADD COLUMN     "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "methods" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "user_agent" TEXT,
ADD COLUMN     "verified_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- Sessions that are open keep their present end. A session of pages has no refresh tokens. Passwords were the only way to sign in.
UPDATE "session" AS s
   SET ends_at = expires_at, verified_at = created_at, last_used_at = created_at, methods = ARRAY['pwd'],
       kind = CASE WHEN EXISTS (SELECT FROM refresh_token r WHERE r.organization_id = s.organization_id AND r.session_id = s.id)
                   THEN 'app' ELSE 'page' END::session_kind;
ALTER TABLE "session" ALTER COLUMN "ends_at" SET NOT NULL;
