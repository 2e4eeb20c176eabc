/** Parts in which a semicolon ends no statement: texts, quoted names, bodies between dollars, comments. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|;/g;

/** The statements of a script, in their order. Texts with backslashes before a quote are not used in ours. */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const match of script.matchAll(PARTS)) {
    if (match[0] !== ';') continue;
    statements.push(script.slice(start, match.index));
    start = match.index + 1;
  }
  statements.push(script.slice(start));
  return statements.map((each) => each.trim()).filter((each) => each.replaceAll(/--[^\n]*/g, '').trim() !== '');
}
