import races from './data/races.json' with { type: 'json' };

export interface Race {
  name: string;
  /** Its place in the CDC's Race and Ethnicity Code Set: `R5` is White, `R1.01.001` Abenaki. */
  hierarchicalCode: string;
}

const BY_CODE = new Map<string, Race>(
  Object.entries(races).map(([code, [name = '', hierarchicalCode = '']]) => [code, { name, hierarchicalCode }]),
);

/**
 * A race of HL7's v3 Race code system (2.16.840.1.113883.5.104, 921 concepts, HL7 Terminology 2018-08-12), which is the race
 * table of the CDC Race and Ethnicity Code Set 1.0; both are free to use. The source has no hierarchical codes: they are
 * numbered from its hierarchy as the CDC does, and agree with all that we found published (scripts/code-sets.ts). Null for an unknown code, `declined` among them.
 */
export const findRace = (code: string): Race | null => BY_CODE.get(code) ?? null;
