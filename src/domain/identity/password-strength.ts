import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Characters that are looked at: the time grows with their square, and whoever guesses these has not guessed the rest. */
const LOOKED_AT = 24;
/** Readings of a password with digits and signs for letters. */
const MOST_SUBSTITUTIONS = 16;
/** Out of 4: more than 10^8 guesses. */
const GOOD_SCORE = 3;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries are large, and most processes never need them. */
async function createEstimator(): Promise<ZxcvbnFactory> {
  const [core, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  return new core.ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
    maxLength: LOOKED_AT,
    l33tMaxSubstitutions: MOST_SUBSTITUTIONS,
  });
}

/**
 * Whether a password could be guessed in fewer than some 10^8 attempts.
 * @param known words that an attacker would try first
 * @returns null for a good one; else the reason in a sentence, empty where there is none in particular
 */
export async function findWeakness(password: string, known: string[]): Promise<string | null> {
  estimator ??= createEstimator();
  const { score, feedback } = (await estimator).check(password, known);
  return score >= GOOD_SCORE ? null : (feedback.warning ?? '');
}
