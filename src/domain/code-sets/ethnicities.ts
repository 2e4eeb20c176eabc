import ethnicities from './data/ethnicities.json' with { type: 'json' };

const NAMES = new Map<string, string>(Object.entries(ethnicities));

/**
 * The name of an ethnicity of HL7's v3 Ethnicity code system (2.16.840.1.113883.5.50, 43 concepts, HL7 Terminology
 * 2018-08-12). Null for an unknown code, `declined` among them.
 */
export const ethnicityName = (code: string): string | null => NAMES.get(code) ?? null;
