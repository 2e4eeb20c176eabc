import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasUnbalancedBraces,
  PLACEHOLDERS,
  placeholdersIn,
  renderTemplate,
} from '../../../../src/domain/messaging/templates/placeholders.ts';
import { codePoint } from '../../../support/code-point.ts';

const named = (name: string) => `{{${name}}}`;

describe('placeholders', () => {
  it.each(['{{first name}}', '{{First Name}}', '{{ first  name }}', '{{FIRST_NAME}}', '{{\tfirst\u00a0name\n}}'])(
    'are understood as %j',
    (body) => {
      expect(renderTemplate(body, { 'first name': 'Ann' })).toMatchObject({ text: 'Ann', missing: [] });
      expect(placeholdersIn(body)).toEqual({ known: ['first name'], unknown: [] });
    },
  );

  it('are found, each once, and told from those that nobody knows', () => {
    expect(placeholdersIn('{{url}} {{Shoe size}} {{ URL }} {{}} {url} {{shoe_size}}')).toEqual({
      known: ['url'],
      unknown: ['shoe size', ''],
    });
  });

  it.each([
    ['{{first name', true],
    ['first name}}', true],
    ['{{first name}', true],
    ['{{{first name}}}', false],
    ['{first name}', false],
    ['{{first name}} {{', true],
    ['{{first {{name}}', true],
  ])('in %j leave braces over: %s', (body, loose) => {
    expect(hasUnbalancedBraces(body)).toBe(loose);
  });
});

describe('a template that is filled in', () => {
  it('says the values in the place of their names', () => {
    const body = 'Hello {{first name}} {{last name}}, {{org name}}: {{url}} {{org phone number}}';
    const values = {
      'first name': 'Ann',
      'last name': 'Ames',
      'org name': 'North',
      'org phone number': '(910) 555-0123',
      url: 'https://a.example/x',
    };
    expect(renderTemplate(body, values)).toEqual({
      text: 'Hello Ann Ames, North: https://a.example/x (910) 555-0123',
      missing: [],
      segments: 1,
      encoding: 'GSM-7',
    });
  });

  it('keeps what a value holds as it is: braces, dollars and names of placeholders are no commands', () => {
    const { text, missing } = renderTemplate('{{first name}}|{{last name}}', {
      'first name': "{{url}} $& $1 $'",
      'last name': '{{last name}}',
      url: 'no',
    });
    expect({ text, missing }).toEqual({ text: "{{url}} $& $1 $'|{{last name}}", missing: [] });
  });

  it('has a value on one line', () => {
    expect(renderTemplate('{{org name}}.', { 'org name': ' North \r\n  Clinic ' }).text).toBe('North Clinic.');
  });

  it.each([
    ['Hello {{first name}}, welcome', 'Hello Suharto, welcome'],
    ['Dear {{last name}},', 'Dear Suharto,'],
    ['Dear {{first name}} {{last name}}, hello', 'Dear Suharto, hello'],
    ['{{last name}}, {{first name}}: hello', 'Suharto: hello'],
  ])('calls a patient with one name by it: %j', (body, text) => {
    for (const names of [
      { 'first name': '', 'last name': 'Suharto' },
      { 'first name': 'Suharto', 'last name': '' },
    ]) {
      const rendered = renderTemplate(body, names);
      expect(rendered.missing).toEqual([]);
      expect(rendered.text).toBe(text);
    }
  });

  it.each([
    ['Hello {{first name}}, welcome', 'Hello, welcome'],
    ['{{first name}}, you are expected', 'You are expected'],
    ['{{first name}} {{last name}}: hello', 'Hello'],
    ['{{first name}}, https://example.com/a', 'https://example.com/a'],
    ['Dr. {{provider name}} waits', 'Dr. waits'],
    ['See you at {{office name}}.', 'See you at.'],
    ['Here: {{url}}', 'Here:'],
    ['a {{url}}  {{url}} b', 'a b'],
    ['a{{url}}b', 'ab'],
    ['one\n{{url}}\ntwo', 'one\n\ntwo'],
    ['one\n{{first name}}, two {{url}}\nthree', 'one\ntwo\nthree'],
    ['({{url}}) {{first name}}!', '()!'],
    ['{{url}}', ''],
  ])('leaves out of %j what has no value, and tells of it', (body, text) => {
    const rendered = renderTemplate(body, { url: ' ', 'first name': '' });
    expect(rendered.text).toBe(text);
    expect(rendered.missing).toEqual(placeholdersIn(body).known);
  });

  it('tells of a name that nobody knows as of one without a value', () => {
    expect(renderTemplate('Size {{shoe size}}', {})).toMatchObject({ text: 'Size', missing: ['shoe size'] });
    expect(renderTemplate('{{constructor}}{{__proto__}}', {})).toMatchObject({ text: '', missing: ['constructor', 'proto'] });
  });

  it.each([
    ['See you', 'See you. Reply Y to confirm or N to decline.'],
    ['See you 👋', 'See you 👋 Reply Y to confirm or N to decline.'],
    ['More at https://example.com/a', 'More at https://example.com/a Reply Y to confirm or N to decline.'],
    ['See you at 9.', 'See you at 9. Reply Y to confirm or N to decline.'],
    ['There is no parking. Lunes y martes.', 'There is no parking. Lunes y martes. Reply Y to confirm or N to decline.'],
    ['Yesterday’s plan. YESTERDAY.', 'Yesterday’s plan. YESTERDAY. Reply Y to confirm or N to decline.'],
    ['Reply YES to confirm or NO to cancel.', 'Reply YES to confirm or NO to cancel.'],
    ['Answer Y/N', 'Answer Y/N'],
    ['Responda Sí o No.', 'Responda Sí o No.'],
  ])('that asks says how to answer, unless it does so itself: %j', (body, text) => {
    expect(renderTemplate(body, {}, { asks: true }).text).toBe(text);
    expect(renderTemplate(body, {}).text).toBe(body);
  });
});

/** Templates of literal text and placeholders, with and without spaces between them. */
const bodies = fc
  .array(fc.oneof(fc.constantFrom(...PLACEHOLDERS).map(named), fc.stringMatching(/^[a-zA-Z ,.!\n-]{0,12}$/), fc.constant(' ')), {
    maxLength: 20,
  })
  .map((parts) => parts.join(''));
const words = fc.stringMatching(/^[a-z]{1,8}$/);
const values = fc.dictionary(fc.constantFrom(...PLACEHOLDERS), words).map((all) => all);

describe('whatever the template and the values', () => {
  it('the text has no braces, and what is missing is exactly what was named without a value', () => {
    fc.assert(
      fc.property(bodies, values, (body, given) => {
        const { text, missing } = renderTemplate(body, given);
        expect(text).not.toMatch(/[{}\0]/);
        const names: Partial<Record<string, string>> = { 'first name': given['last name'], 'last name': given['first name'] };
        expect(missing).toEqual(placeholdersIn(body).known.filter((name) => (given[name] ?? names[name]) === undefined));
      }),
    );
  });

  it('a text that misses something has no more spaces in a row than its template, and none at its ends', () => {
    fc.assert(
      fc.property(bodies, values, (body, given) => {
        const plain = body.replaceAll(/ {2,}/g, ' ');
        const { text, missing } = renderTemplate(plain, given);
        if (missing.length > 0) expect(text).not.toMatch(/ {2}/);
        expect(text).toBe(text.trim());
      }),
    );
  });

  it('with all values it is the template with each name replaced', () => {
    const all = Object.fromEntries(PLACEHOLDERS.map((name, index) => [name, `v${index}`]));
    fc.assert(
      fc.property(bodies, (body) => {
        const expected = PLACEHOLDERS.reduce((text, name, index) => text.replaceAll(named(name), `v${index}`), body);
        expect(renderTemplate(body, all)).toMatchObject({ text: expected.trim(), missing: [] });
      }),
    );
  });

  it('any text at all is taken, and any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (body, value) => {
        expect(renderTemplate(`${body}{{url}}`, { url: value }).text).not.toContain('\0');
      }),
    );
  });
});
