-- AlterTable
ALTER TABLE "session" ADD COLUMN     "own_proof" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "authorization_code" ADD COLUMN     "asks_proof" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[];
