import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/admin/program.ts';
import { sharedTestApp } from '../support/app.ts';
import { admin, createOperator, foundPractice } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);

/** Every command that does something, as the words that call it. */
function leaves(command: Command, words: string[] = []): string[][] {
  if (command.commands.length === 0) return [words];
  return command.commands.flatMap((child) => leaves(child, [...words, child.name()]));
}

const program = buildProgram({ env: {}, stdin: (async function* () {})(), stdout: () => {}, stderr: () => {} });
const commands = leaves(program);

describe('help', () => {
  it('is there for every command, says what it does and describes each option, without a database', async () => {
    expect(commands.length).toBeGreaterThan(40);
    for (const words of commands) {
      const said = await admin({}, [...words, '--help']);
      expect(said, words.join(' ')).toMatchObject({ code: 0, err: '' });
      expect(said.out).toContain(`Usage: npm run admin -- ${words.join(' ')}`);
      const [, description = ''] = said.out.split('\n\n');
      expect(description, words.join(' ')).toMatch(/^[A-Z].{10,}\./s);
      expect(said.out).toContain('--json');
    }
  });

  it('names every noun, and is shown on stderr with exit code 2 where no command was given', async () => {
    const said = await admin({}, ['--help']);
    for (const [noun = ''] of commands) expect(said.out).toContain(`\n  ${noun}`);
    const nothing = await admin({}, []);
    expect(nothing).toMatchObject({ code: 2, out: '' });
    expect(nothing.err).toContain('Usage:');
  });
});

describe('a practice', () => {
  it('is named by its id or by its key, in every command alike', async () => {
    const { id, email } = await foundPractice(operator);
    const { key } = await test.database.prisma.organization.findUniqueOrThrow({ where: { id } });
    for (const line of ['users list', 'clients list', 'audit verify', 'export-practice', 'patients check']) {
      const [byId, byKey] = [await operator.say(`${line} --practice ${id}`), await operator.say(`${line} --practice ${key}`)];
      expect(byId, line).toMatchObject({ code: 0, err: '' });
      expect(byKey, line).toEqual(byId);
    }
    const both = await operator.say(`clients create --name Both --scope practice.read --practice ${id},${key} --json`);
    expect(JSON.parse(both.out)).toMatchObject({ practice_ids: [id] });
    expect((await operator.say(`users list --practice ${key}`)).out).toContain(email);
    for (const none of [`${key}x`, '2147483647'])
      expect(await operator.say(`users list --practice ${none}`)).toEqual({ code: 1, out: '', err: 'There is no such practice.\n' });
    expect((await operator.say('users list --practice a,b')).err).toBe('--practice: must be the id or the key of a practice.\n');
  });

  it('is named once: of two names, none is chosen', async () => {
    expect(await operator.say('users list --practice 1 --practice 2')).toEqual({ code: 2, out: '', err: '--practice: is given twice.\n' });
  });

  it('is called so in the help of every command', async () => {
    for (const words of commands) {
      const { out } = await admin({}, [...words, '--help']);
      expect(out, words.join(' ')).not.toMatch(/organi[sz]ation/i);
      expect(out.match(/^ *--practice.*/m)?.[0] ?? '--practice <id|key>', words.join(' ')).toContain('--practice <id|key>');
    }
  });

  it('has no key that could be an id', async () => {
    const said = await admin(operator.env, ['apply', '-', '--plan'], 'key: "12"\nname: A\ntime_zone: UTC\n', test.database);
    expect(said).toMatchObject({ code: 1, err: 'standard input:1: key: must not have digits only, as an id has.\n' });
  });
});

describe('the documentation', () => {
  it('shows every command', () => {
    const pages = ['administration.md', 'audit-archive.md', 'imports.md', 'keys.md', 'operations.md', 'patient-rights.md'];
    const text = pages.map((page) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')).join('\n');
    const isShown = (words: string[]) => text.includes(`\nnpm run admin -- ${words.join(' ')}`);
    expect(commands.filter((words) => !isShown(words))).toEqual([]);
  });
});

describe('a command that is written wrongly', () => {
  it.each([
    ['an unknown command', ['organisations']],
    ['an unknown option', ['export-practice', '--colour']],
    ['a missing option', ['legal-holds', 'place', '--practice', '1']],
    ['a missing argument', ['clients', 'disable']],
    ['one argument too many', ['clients', 'list', 'all']],
    ['an id that is none', ['users', 'list', '--practice', '0']],
    ['an id past 32 bits', ['users', 'list', '--practice', '2147483648']],
    ['an unknown scope', ['clients', 'create', '--name', 'X', '--practice', '1', '--scope', 'everything']],
    ['a password as an argument', ['users', 'reset-password', '1', '--password', 'secret']],
    ['an email that is none', ['users', 'sign-out', 'somebody']],
    ['a limit that is too large', ['audit', 'list', '--practice', '1', '--limit', '1001']],
    ['a day that does not exist', ['audit', 'list', '--practice', '1', '--since', '2026-02-30']],
  ])('with %s says so in a sentence on stderr and exits with 2', async (_, argv) => {
    const said = await admin(operator.env, argv);
    expect(said).toMatchObject({ code: 2, out: '' });
    expect(said.err.split('\n')[0]).toMatch(/\w+ .*\w/);
    expect(said.err).not.toMatch(/^\s+at /m);
  });

  it('with a password that is too short, or of two lines, is refused', async () => {
    const { email } = await foundPractice(operator);
    for (const input of ['short', 'a long enough line\nand another', '']) {
      const said = await admin(operator.env, ['users', 'reset-password', email, '--password-stdin'], input);
      expect(said).toMatchObject({ code: 2, out: '' });
    }
  });
});

describe('a command that cannot be done', () => {
  it('says why in one sentence and exits with 1', async () => {
    const unreachable = { ...operator.env, DATABASE_URL: 'postgresql://nobody:hidden-word@127.0.0.1:1/none' };
    const said = await admin(unreachable, ['export-practice', '--json']);
    expect(said).toEqual({ code: 1, out: '', err: 'The database cannot be reached.\n' });
    const wrong = await admin({ ...operator.env, DATABASE_URL: 'mysql://somewhere' }, ['export-practice']);
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('DATABASE_URL') });
    const none = await admin({ ...operator.env, DATABASE_URL: '', DATA_DIR: '/nowhere/at all' }, ['export-practice']);
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringContaining('There is no database in /nowhere/at all') });
    const demo = await admin({ ...operator.env, DATA_DIR: '/nowhere/at all' }, ['demo', 'show']);
    expect(demo).toMatchObject({ code: 1, out: '', err: expect.stringContaining('There is no demo data') });
  });
});

describe('--json', () => {
  it('is all that stands on stdout, before or after the command', async () => {
    const { id } = await foundPractice(operator);
    const lines = [
      'export-practice',
      `export-practice --practice ${id}`,
      `users list --practice ${id}`,
      'clients list',
      `clients list --practice ${id}`,
      'keys list',
      'keys master',
      'audit seal',
      `audit verify --practice ${id}`,
      `audit list --practice ${id}`,
      `events list --practice ${id}`,
      'database status',
    ];
    for (const line of lines) {
      for (const argv of [`${line} --json`, `--json ${line}`]) {
        const said = await operator.say(argv);
        expect(said, argv).toMatchObject({ code: 0, err: '' });
        expect(() => JSON.parse(said.out), argv).not.toThrow();
      }
    }
  });

  it('leaves the reminder about a secret to stderr', async () => {
    const { id, client } = await foundPractice(operator);
    const said = await operator.say(`clients rotate-secret ${client.client_id} --json`);
    expect(JSON.parse(said.out)).toMatchObject({ practice_ids: [id] });
    expect(said.err).toBe('Keep the secret now: it will not be shown again.\n');
  });
});

describe('a table', () => {
  it('aligns its columns, whatever the letters, and lets stored text do nothing to the terminal', async () => {
    await test.database.prisma.organization.create({ data: { name: 'Zoë\u001b[31m\u0007 Núñez\u202e', timeZone: 'UTC' } });
    const { out } = await operator.say('export-practice');
    const lines = out.trimEnd().split('\n');
    const column = lines[0]?.indexOf('TIME ZONE') ?? -1;
    expect(column).toBeGreaterThan(0);
    for (const line of lines.slice(1)) expect(line.normalize('NFC').slice(column - 2)).toMatch(/^ {2}[A-Z]/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
  });
});
