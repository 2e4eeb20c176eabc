/** `npm run admin -- …`: docs/administration.md */
import './prepare.mjs';
import './compile-cache.mjs';

await import('../src/admin/main.ts');
