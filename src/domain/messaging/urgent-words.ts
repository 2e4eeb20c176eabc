import type { InEachLanguage } from '../values/languages.ts';

/**
 * Words of what cannot wait, in a text to the practice and in the answers of a check-in. A false alarm costs a call, so the words are wide. A
 * negation is not understood: one too many is closed, one too few is found too late.
 */
const WORDS: InEachLanguage<readonly string[]> = {
  en: [
    ...['chest pain', 'chest pains', 'pain in chest', 'pain in the chest', 'my chest', 'chest hurts', 'chest is tight', 'tight chest'],
    ...['chest pressure', 'heart attack', 'stroke', 'slurred speech', 'face drooping', 'seizure'],
    ...['short of breath', 'shortness of breath', 'breathe', 'breathless', 'trouble breathing', 'difficulty breathing'],
    ...['fainted', 'passed out', 'unconscious', 'bleeding', 'vomiting blood', 'allergic reaction', 'overdose', 'overdosed'],
    ...['suicide', 'suicidal', 'kill myself', 'end my life', 'want to die', 'hurt myself', 'emergency', 'ambulance', '911'],
  ],
  es: [
    ...['dolor de pecho', 'dolor del pecho', 'dolor en pecho', 'el pecho', 'mi pecho', 'ataque al corazón', 'infarto'],
    ...['falta el aire', 'falta de aire', 'falta aire', 'sin aire', 'falta la respiración', 'respirar', 'me ahogo', 'me asfixio'],
    ...['me desmayé', 'perdí el conocimiento', 'inconsciente', 'derrame', 'no puedo hablar', 'convulsión', 'convulsiones'],
    ...[
      'sangro mucho',
      'sangrando',
      'hemorragia',
      'vomito sangre',
      'reacción alérgica',
      'sobredosis',
      'emergencia',
      'urgencia',
      'ambulancia',
    ],
    ...['suicidio', 'suicidarme', 'matarme', 'quitarme la vida', 'hacerme daño', 'quiero morir', 'quiero morirme'],
  ],
};

/** Words of all languages, which are looked for whatever the language of the text. */
export const URGENT_WORDS: readonly string[] = Object.values(WORDS).flat();
