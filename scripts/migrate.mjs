/** `npm run db:migrate`: one process, so that a signal to it reaches the migration. */
import './prepare.mjs';
import './compile-cache.mjs';
import { entry } from './entry.mjs';

await import(entry('migrate'));
