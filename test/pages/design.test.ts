import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { accentContrast, darkAccent, nearestAccent, PAGE_COLOURS, TEXT_CONTRAST } from '../../src/domain/practices/look/brand-colour.ts';
import { type Colour, contrast, mix, readColour } from '../../src/domain/practices/look/colours.ts';
import { FIGURE_COLOURS } from '../../src/http/trend-figures/paint.ts';
import { writeDocument } from '../../src/pages/design/layout/page.ts';
import { createOperator } from '../admin/command-line.ts';
import { sharedTestApp } from '../support/app.ts';
import { getPage, sender, sendLink } from '../support/external-messages.ts';
import { scratchFolder } from '../support/scratch.ts';

const tokens = readFileSync(new URL('../../src/pages/design/tokens.css', import.meta.url), 'utf8');
const MODES = ['light', 'dark'] as const;
type Mode = (typeof MODES)[number];

const colour = (text: string): Colour => {
  const read = readColour(text);
  if (read === null) throw new Error(`${text} is no colour`);
  return read;
};

/** The colours of tokens.css: those that are written, and the tints that are mixed of them. */
function coloursIn(mode: Mode): Map<string, Colour> {
  const found = new Map<string, Colour>();
  for (const [, name = '', light = '', dark = ''] of tokens.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g))
    found.set(name, colour(mode === 'light' ? light : dark));
  for (const [, name = '', of = '', share = ''] of tokens.matchAll(
    /--([\w-]+): color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, var\(--surface\)\)/g,
  ))
    found.set(name, mix(found.get(of) ?? '#000000', Number(share) / 100, found.get('surface') ?? '#000000'));
  return found;
}

describe.each(MODES)('the %s colours', (mode) => {
  const colours = coloursIn(mode);
  const ratio = (one: string, other: string) => contrast(colours.get(one) ?? '#777777', colours.get(other) ?? '#777777');

  it('let each text be read on each surface that it stands on', () => {
    const surfaces = ['ground', 'surface', 'surface-sunken'];
    const tints = ['accent-soft', 'danger-soft', 'success-soft', 'warning-soft'];
    const pairs = [
      ['on-danger', 'danger-fill'],
      ...['text', 'text-quiet'].flatMap((text) => [...surfaces, ...tints].map((on) => [text, on])),
      ...['accent', 'danger', 'success', 'warning'].flatMap((text) => ['ground', 'surface', `${text}-soft`].map((on) => [text, on])),
      ['on-accent', 'accent'],
    ];
    const poor = pairs.filter(([text = '', on = '']) => ratio(text, on) < TEXT_CONTRAST);
    expect(poor.map(([text = '', on = '']) => `${text} on ${on}: ${ratio(text, on).toFixed(2)}`)).toEqual([]);
  });

  it('let the edges of fields be seen', () => {
    for (const on of ['surface', 'ground']) expect(ratio('line-strong', on), on).toBeGreaterThanOrEqual(3);
  });

  it('are those that the colour of a practice is measured against', () => {
    const { ground, surface, onAccent } = PAGE_COLOURS[mode];
    expect([colours.get('ground'), colours.get('surface'), colours.get('on-accent')]).toEqual([ground, surface, onAccent]);
  });
});

describe('the colours of a chart that is a picture of its own', () => {
  const NAMES = { quiet: 'text-quiet', reading: 'accent', target: 'success', watch: 'warning' } as const;

  it.each(MODES)('are those of the %s pages', (mode) => {
    const colours = coloursIn(mode);
    const findToken = (name: string) => colours.get(new Map<string, string>(Object.entries(NAMES)).get(name) ?? name);
    expect(FIGURE_COLOURS[mode]).toEqual(Object.fromEntries(Object.keys(FIGURE_COLOURS[mode]).map((name) => [name, findToken(name)])));
  });
});

/** A WebP of two pictures of 32 x 32. */
const movingPicture = () =>
  sharp(Buffer.alloc(32 * 64 * 3).fill(255, 32 * 32 * 3), { raw: { width: 32, height: 64, channels: 3, pageHeight: 32 } })
    .webp()
    .toBuffer();

describe('the colour of a practice', () => {
  it('is measured as the guidelines do', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect([readColour(' 0F6B5C '), readColour('#15c'), readColour('teal'), readColour('#12345')]).toEqual([
      '#0f6b5c',
      '#1155cc',
      null,
      null,
    ]);
  });

  it('has a nearest one that can be read, on light pages and in the dark, whatever it is', () => {
    const any = fc.integer({ min: 0, max: 0xffffff }).map((number) => colour(number.toString(16).padStart(6, '0')));
    fc.assert(
      fc.property(any, (given) => {
        const near = nearestAccent(given);
        expect(accentContrast(near, 'light')).toBeGreaterThanOrEqual(TEXT_CONTRAST);
        expect(accentContrast(darkAccent(near), 'dark')).toBeGreaterThanOrEqual(TEXT_CONTRAST);
        if (accentContrast(given, 'light') >= TEXT_CONTRAST) expect(near).toBe(given);
      }),
      { numRuns: 300, examples: [['#ffff00'], ['#ffffff'], ['#000000'], ['#ff8800']] },
    );
  });
});

const test = await sharedTestApp();
const operator = createOperator(test);
const who = await sender(test);

/** The addresses of a page's style sheets and of its logo. */
async function parts(path: string) {
  const { text } = await getPage(test, path);
  return {
    sheets: [...text.matchAll(/<link rel="stylesheet" href="([^"]+)">/g)].map(([, address = '']) =>
      address.replace(/^\/assets\/[\da-f]{12}\//, '/assets/'),
    ),
    logo: /<img class="practice-logo" src="([^"]+)"/.exec(text)?.[1],
    text,
  };
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#0f6b5c' } })
    .withExif({ IFD0: { Copyright: 'somebody' } })
    .png()
    .toBuffer();

describe('the look of a practice', () => {
  it('is its initials and the usual colour until it sets one', async () => {
    const { path } = await sendLink(test, who);
    const { sheets, logo, text } = await parts(path);
    expect([sheets, logo]).toEqual([['/assets/design.css'], undefined]);
    expect(text).toContain('aria-hidden="true">EC</span>');
  });

  it('is on its pages, in sheets and pictures that browsers keep, and in the record of changes', async () => {
    const file = join(await scratchFolder(), 'logo.png');
    await writeFile(file, await picture(1_200, 400));
    const set = () => operator.apply(who.organizationId, { colour: '0F6B5C', logo: file });
    expect(await set()).toMatchObject({ code: 0 });
    const { sheets, logo = '' } = await parts((await sendLink(test, who)).path);
    expect(sheets).toEqual(['/assets/design.css', '/assets/look/0f6b5c.css']);
    const sheet = await fetch(`${test.address}${sheets[1]}`);
    expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(await sheet.text()).toContain(`--accent: light-dark(#0f6b5c, ${darkAccent('#0f6b5c')});`);
    const shown = await fetch(`${test.address}${logo}`);
    expect([shown.status, shown.headers.get('content-type'), shown.headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      'public, max-age=31536000, immutable',
    ]);
    const metadata = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    expect([metadata.width, metadata.height, metadata.exif]).toEqual([396, 132, undefined]);
    expect((await set()).out).toContain('Nothing to change.');
    const changes = await test.database.prisma.event.findMany({
      where: { organizationId: who.organizationId, name: 'organization.updated' },
    });
    expect(
      changes.map(({ changed }) => changed),
      'once, since the second time nothing differed',
    ).toEqual([['colour', 'logo']]);
    const other = await sender(test);
    expect((await fetch(`${test.address}${logo.replace(`/${who.organizationId}/`, `/${other.organizationId}/`)}`)).status).toBe(404);
    expect((await fetch(`${test.address}/assets/logos/9999999999/${'0'.repeat(64)}.png`)).status).toBe(404);
    expect((await fetch(`${test.address}/assets/look/teal.css`)).status).toBe(404);
    expect(await operator.apply(who.organizationId, { colour: null, logo: null })).toMatchObject({ code: 0 });
    expect((await parts((await sendLink(test, who)).path)).logo).toBeUndefined();
  });

  it('takes no colour whose text is hard to read, and names the nearest that is not', async () => {
    const said = await operator.apply(who.organizationId, { colour: 'ffcc00' });
    const near = nearestAccent('#ffcc00');
    expect(said.code).toBe(1);
    expect(said.err).toContain(`#ffcc00 has a contrast of 1.3 to the pages, but text needs 4.5; the nearest sufficient colour is ${near}`);
    expect(await operator.apply(who.organizationId, { colour: near })).toMatchObject({ code: 0 });
  });

  it.each([
    ['drawing with scripts', async () => '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'PNG, JPEG or WebP'],
    ['text', async () => 'words', 'PNG, JPEG or WebP'],
    ['picture that moves', () => movingPicture(), 'must not be animated'],
    ['speck', () => picture(8, 8), 'at least 16 pixels'],
    ['poster', () => picture(5_000, 4_000), 'at most 16 million pixels'],
  ])('takes no %s for a logo', async (_name, content, words) => {
    const file = join(await scratchFolder(), 'logo');
    await writeFile(file, await content());
    const said = await operator.apply(who.organizationId, { logo: file });
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain(words);
  });
});

it('writes a document without a style or a script in its text', () => {
  const text = writeDocument({ title: 'A <b>', body: '<p>Hello</p>', script: '/assets/a.js', bodyClass: 'dark' });
  expect(text).toContain('<title>A &#60;b&#62;</title>');
  expect(text).not.toMatch(/style=|<style|<script>/);
});

it('shows all its components on one page', async () => {
  const page = await fetch(`${test.address}/design`);
  const text = await page.text();
  expect(page.status).toBe(200);
  for (const component of [
    'page-header',
    'card',
    'button plain',
    'button danger',
    'field',
    'field-error',
    'alert',
    'badge',
    'list',
    'dialog',
  ])
    expect(text, component).toContain(`class="${component}`);
  for (const component of ['empty-state', 'progress', 'page-footer']) expect(text, component).toContain(`class="${component}`);
});
