/** Kinds of work that take the longer the more rows a table has, and what each takes. */
export const WORK = {
  /** Reads all rows: a new constraint. */
  reads: { microseconds: 0.5, indexBytes: 0, rewrites: false },
  /** Reads and sorts all rows, and writes an index. */
  indexes: { microseconds: 2, indexBytes: 40, rewrites: false },
  /** Changes rows, all of them at worst, each with its indexes and triggers. */
  changes: { microseconds: 25, indexBytes: 0, rewrites: true },
  /** Writes the table and all its indexes anew. */
  rewrites: { microseconds: 12, indexBytes: 0, rewrites: true },
} as const;

export type Work = keyof typeof WORK;

export interface Effect {
  /** As PostgreSQL names it in the schema `public`. */
  table: string;
  work: Work;
  /** Whether others may change the table meanwhile. */
  beside: boolean;
}

/**
 * The work of a migration's script that grows with its tables. Read from its text, so a statement inside of a DO block counts as if it
 * ran, and the body of a function does not.
 */
export function effectsOf(script: string): Effect[] {
  const text = withoutBodies(script);
  const made = new Set(tablesIn(text, /\bcreate (?:unlogged |temporary |temp )?table (?:if not exists )?/gi));
  const effects = [
    ...found(text, /\bcreate (?:unique )?index (?:(concurrently) )?(?:if not exists )?(?:[\w"]+ )?on (?:only )?([\w".]+)/gi, 'indexes'),
    ...found(text, /\bupdate (?:only )?([\w".]+)(?: (?:as )?\w+)? set\b/gi, 'changes'),
    ...found(text, /\bdelete from (?:only )?([\w".]+)/gi, 'changes'),
    ...alterations(text),
  ];
  return effects.filter(({ table }) => !made.has(table));
}

/** Functions run later, comments never. */
function withoutBodies(script: string): string {
  return script
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\bcreate (?:or replace )?(?:function|procedure) [^;]*?\bas (\$\w*\$).*?\1/gi, '');
}

const nameOf = (written: string) => written.replaceAll('"', '').replace(/^public\./, '');

function tablesIn(text: string, before: RegExp): string[] {
  return [...text.matchAll(new RegExp(`${before.source}([\\w".]+)`, before.flags))].map(([, name]) => nameOf(name ?? ''));
}

/** One effect of each match. The last group is the table; one before it says that others go on. */
function found(text: string, pattern: RegExp, work: Work): Effect[] {
  return [...text.matchAll(pattern)].map(([, ...groups]) => {
    const beside = groups.length > 1 && groups[0] !== undefined;
    return { table: nameOf(groups.at(-1) ?? ''), work, beside };
  });
}

/** Clauses of ALTER TABLE that look at each row, or write it. A column that is added with a constant is written by later changes. */
const CLAUSES: readonly { clause: RegExp; work: Work; beside?: boolean }[] = [
  {
    clause:
      /\balter (?:column )?[\w"]+ (?:set data )?type\b|\badd (?:column )?[\w"]+ [^,]*\b(?:stored|gen_random_uuid|bigserial|serial)\b/i,
    work: 'rewrites',
  },
  { clause: /\badd (?:constraint [\w"]+ )?(?:unique|primary key|exclude)(?! using index)\b/i, work: 'indexes' },
  { clause: /\badd (?:constraint [\w"]+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)|\bset not null\b/i, work: 'reads' },
  { clause: /\bvalidate constraint\b/i, work: 'reads', beside: true },
];

function alterations(text: string): Effect[] {
  return [...text.matchAll(/\balter table (?:if exists )?(?:only )?([\w".]+) ([^;]*)/gi)].flatMap(([, table = '', clauses = '']) =>
    CLAUSES.filter(({ clause }) => clause.test(clauses)).map(({ work, beside = false }) => ({ table: nameOf(table), work, beside })),
  );
}
