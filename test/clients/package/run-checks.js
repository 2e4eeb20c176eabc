import { CHECKS } from './checks.js';

const within = (seconds) =>
  new Promise((_, reject) => setTimeout(() => reject(new Error(`not within ${seconds} seconds`)), seconds * 1_000).unref?.());

/** What became of each check: `passed`, or what was wrong. */
export async function runChecks(given) {
  const results = {};
  for (const [name, check] of Object.entries(CHECKS))
    results[name] = await Promise.race([check(given), within(60)]).then(
      () => 'passed',
      (error) => `${error.stack ?? error}`,
    );
  return results;
}
