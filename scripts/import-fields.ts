import { IMPORT_KINDS } from '../src/domain/imports/import-kinds.ts';
import { KINDS } from '../src/domain/imports/kinds/kinds.ts';
import { snakeCase } from '../src/records/field.ts';

/** The page of the fields of imports, one table for each kind. */
export function importFields(): string {
  const sections = IMPORT_KINDS.map((kind) => {
    const { cells, words } = KINDS[kind];
    const named: Readonly<Record<string, readonly string[] | undefined>> = words;
    const rows = Object.entries(cells.shape).map(([field, cell]) => {
      const isNeeded = !cell.safeParse(undefined).success;
      return `| \`${snakeCase(field)}\`${isNeeded ? ', required' : ''} | ${(named[field] ?? []).map((name) => `\`${name}\``).join(', ')} |`;
    });
    return `## ${kind}\n\n| Field | Other names |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Fields of imports

\`npm run openapi\` generates this page. Names are accepted in any case and with any separators: \`First Name\` is \`first_name\`. If a row has several names of a
field, the first one with a value counts. For the file format, see [imports.md](imports.md).

${sections.join('\n')}`;
}
