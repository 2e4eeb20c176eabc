/** `npm run admin -- …`: docs/administration.md */
import './prepare.mjs';
import './compile-cache.mjs';
import { entry } from './entry.mjs';

await import(entry('admin'));
