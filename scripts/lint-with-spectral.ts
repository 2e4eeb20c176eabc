/**
 * Lints the given OpenAPI documents by Spectral's default ruleset, as `node scripts/openapi.ts --check` does after Redocly's
 * linter. Prints each finding, also a hint, and exits with 1 if there is one.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import spectralCore, { type RulesetFunction, type RulesetFunctionWithValidator } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

/** Paths that the source document of the mobile API writes with a slash at the end: they are served and shown as it writes them. */
const SLASH_AT_THE_END = ['/appointments/', '/user-appointments/', '/sms-message-template/{uuid}/', '/user-review-url/'];

// The rule's own path fails on a null in an example.
rulesets.oas.rules['duplicated-entry-in-enum'].given = [
  "$..[?(@property !== 'properties' && @ && @.enum && @.enum.constructor.name === 'Array')]",
];
for (const rule of ['oas3-valid-media-example', 'oas3-valid-schema-example'] as const) judgeOnce(rulesets.oas.rules[rule].then);
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [], ...rulesets.oas });

/** Parts of a path between which an example's shape is read in another way: what is only read is not required of a request. */
const PLACES = ['requestBody', 'responses', 'headers', 'parameters', 'schemas'];

/** Examples with their shapes stand in thousands of places, the same headers in each answer: a good one is judged once for its kind of place. */
function judgeOnce<I, O>(then: { function: RulesetFunctionWithValidator<I, O> }): void {
  const good = new Set<string>();
  then.function = new Proxy(then.function, {
    apply(judge, self, [input, options, context]: Parameters<RulesetFunction<I, O>>) {
      const key = JSON.stringify([input, options, PLACES.filter((place) => context.path.includes(place))]);
      if (good.has(key)) return [];
      const found = Reflect.apply(judge, self, [input, options, context]);
      if (found === undefined || (Array.isArray(found) && found.length === 0)) good.add(key);
      return found;
    },
  });
}

/** The findings in one document, a line each. */
async function lint(file: string): Promise<string[]> {
  const results = await spectral.run(JSON.parse(await readFile(file, 'utf8')));
  const isForced = ({ code, path: [, path] }: (typeof results)[number]) =>
    basename(file) === 'mobile.json' && code === 'path-keys-no-trailing-slash' && SLASH_AT_THE_END.includes(String(path));
  return results
    .filter((result) => !isForced(result))
    .map(({ code, path, message }) => `${file} ${path.join(' ')}: ${message} (Spectral: ${code})`);
}

const files = process.argv.slice(2);
const found = (await Promise.all(files.map(lint))).flat();
for (const finding of found) console.error(finding);
if (found.length > 0) process.exit(1);
console.log(`Spectral found nothing in ${files.length} documents.`);
