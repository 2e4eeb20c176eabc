import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  // Only `prisma migrate deploy` reads it; the server applies migrations itself (src/database/migrations/migrations.ts).
  datasource: { url: process.env.DATABASE_OWNER_URL ?? process.env.DATABASE_URL ?? '' },
});
