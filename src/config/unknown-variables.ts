/** Beginning of the variables that have no other program's name: a login shell exports MAIL, and conda HOST. */
const PREFIX = /^TRIPTYCH_?/i;

/** The address of a service called triptych, which Kubernetes sets in each pod, as `name=value`. */
const OF_KUBERNETES = /^\w+_(?:SERVICE_(?:HOST|PORT\w*)|PORT_\d+_\w+)=|^\w+_PORT=\w+:/;

/**
 * A variable with our prefix is meant for us: one that is misspelt would otherwise leave a default in force.
 * @param known names of all variables
 * @returns a sentence for each variable that is not known, with the known one that is most like it
 */
export function complainOfUnknown(set: Record<string, string>, known: readonly string[]): string[] {
  const unknown = Object.entries(set).filter(
    ([name, value]) => PREFIX.test(name) && !known.includes(name) && !OF_KUBERNETES.test(`${name}=${value}`),
  );
  return unknown.map(([name]) => `${name}: is not a variable of this server. Did you mean ${mostSimilar(name, known)}?`);
}

/** Neither the prefix nor case counts: TRIPTYCH_port is most like PORT. A `_FILE` too many is one letter: only secrets have it. */
function mostSimilar(name: string, known: readonly string[]): string | undefined {
  const own = name.toUpperCase().replace(PREFIX, '');
  const distanceTo = (other: string) => {
    const [whole, plain] = [own, own.replace(/_FILE$/, '')].map((text) => editDistance(text, other.replace(PREFIX, '')));
    return Math.min(whole ?? 0, 1 + (plain ?? 0));
  };
  return known.toSorted((a, b) => distanceTo(a) - distanceTo(b))[0];
}

/** Levenshtein's: the fewest characters to add, remove or replace that make one text of the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, character] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (character === wanted ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
