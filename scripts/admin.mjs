/** `npm run admin -- …`: docs/administration.md */
import './prepare.mjs';

await import('../src/admin/main.ts');
