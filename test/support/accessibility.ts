import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';

/** Violations of these weights fail a test. */
const SERIOUS = ['serious', 'critical'];
const SCHEMES = ['light', 'dark'] as const;

const violations = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullish(),
    help: z.string(),
    nodes: z.array(z.object({ failureSummary: z.string().optional(), html: z.string() })),
  }),
);

/** HTML is parsed otherwise where no scripts run. */
const RUNS_SCRIPTS = `{
  const some = document.createElement('div');
  some.innerHTML = '<noscript><i></i></noscript>';
  some.querySelector('i') === null;
}`;

/**
 * axe-core finds nothing serious on the page as it is now, neither in light nor in dark colours. Of a page that runs no scripts
 * a copy is looked at.
 * @param state named where it finds something
 */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  if (await page.evaluate<boolean>(RUNS_SCRIPTS)) return expectNothingSerious(page, state);
  const copy = await copyPage(page);
  await expectNothingSerious(copy, state);
  await copy.context().close();
}

async function expectNothingSerious(page: Page, state: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(`if (!window.axe) { ${axe.source} }`);
    const found = violations.parse(await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then((all) => all.violations)`));
    const serious = found.filter(({ impact }) => SERIOUS.includes(impact ?? ''));
    const words = serious.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
    );
    expect.soft(words, `${state}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** The same document with the same style, in a window that may run scripts. Its own would leave the page: nobody is signed in there. */
async function copyPage(page: Page): Promise<Page> {
  const context = await page.context().browser()?.newContext({ viewport: page.viewportSize() });
  if (!context) throw new Error('The page has no browser.');
  const body = await page.content();
  await context.route(page.url(), (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
  await context.route('**/assets/**/*.ts', (route) => route.abort());
  const copy = await context.newPage();
  await copy.goto(page.url());
  return copy;
}
