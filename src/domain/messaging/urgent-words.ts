import type { InEachLanguage } from '../values/languages.ts';

/**
 * Words of what cannot wait, in a text to the practice and in the answers of a check-in. A false alarm costs a call, so the words are wide. A
 * negation is not understood: one too many is closed, one too few is found too late.
 */
const WORDS: InEachLanguage<readonly string[]> = {
  en: [
    ...['chest pain', 'chest pains', 'pain in chest', 'pain in the chest', 'my chest', 'chest hurts', 'chest is tight', 'tight chest'],
    ...[
      'chest pressure',
      'chest tightness',
      'tightness in chest',
      'heart attack',
      'stroke',
      'slurred speech',
      'drooping',
      'seizure',
      'choking',
    ],
    ...['short of breath', 'shortness of breath', 'out of breath', 'catch my breath', 'breathe', 'breathless'],
    ...['trouble breathing', 'difficulty breathing', 'cant breath', 'hard to breath'],
    ...['fainted', 'fainting', 'passed out', 'blacked out', 'unconscious', 'bleeding', 'vomiting blood', 'throwing up blood'],
    ...['coughing blood', 'coughing up blood', 'allergic reaction', 'overdose', 'overdosed', 'too many pills'],
    ...[
      'suicide',
      'suicidal',
      'kill myself',
      'killing myself',
      'end my life',
      'want to die',
      'dont want to live',
      'hurt myself',
      'emergency',
      'ambulance',
      '911',
    ],
  ],
  es: [
    ...[
      'dolor de pecho',
      'dolores de pecho',
      'dolor del pecho',
      'dolor en pecho',
      'dolor pecho',
      'el pecho',
      'mi pecho',
      'ataque al corazón',
      'infarto',
    ],
    ...['falta el aire', 'falta de aire', 'falta aire', 'sin aire', 'falta la respiración', 'respirar', 'no respiro'],
    ...['me ahogo', 'ahogando', 'ahogándome', 'me asfixio', 'asfixiando', 'asfixia'],
    ...[
      'me desmayé',
      'me desmayo',
      'se desmayó',
      'perdí el conocimiento',
      'inconsciente',
      'derrame',
      'no puedo hablar',
      'convulsión',
      'convulsiones',
    ],
    ...[
      'sangro mucho',
      'sangrando',
      'hemorragia',
      'vomito sangre',
      'vomitando sangre',
      'tosiendo sangre',
      'reacción alérgica',
      'sobredosis',
      'muchas pastillas',
      'emergencia',
      'urgencia',
      'urgente',
      'ambulancia',
    ],
    ...[
      'suicidio',
      'suicidarme',
      'suicida',
      'suicidas',
      'matarme',
      'me voy a matar',
      'quitarme la vida',
      'hacerme daño',
      'quiero morir',
      'no quiero vivir',
      'quiero morirme',
    ],
  ],
};

/** Words of all languages, which are looked for whatever the language of the text. */
export const URGENT_WORDS: readonly string[] = Object.values(WORDS).flat();
