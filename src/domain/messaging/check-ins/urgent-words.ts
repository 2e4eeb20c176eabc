import type { InEachLanguage } from '../../values/languages.ts';

/** Words of symptoms that cannot wait. A false alarm costs a call, so the words are wide. */
const SYMPTOMS: InEachLanguage<readonly string[]> = {
  en: [
    ...['chest pain', 'chest pains', 'pain in chest', 'pain in the chest', 'my chest', 'chest pressure', 'heart attack'],
    ...['short of breath', 'shortness of breath', 'breathe', 'breathless', 'trouble breathing', 'difficulty breathing'],
    ...['fainted', 'passed out', 'unconscious', 'stroke', 'slurred speech', 'face drooping', 'bleeding heavily', 'vomiting blood'],
    ...['suicide', 'suicidal', 'kill myself', 'end my life', 'want to die'],
  ],
  es: [
    ...['dolor de pecho', 'dolor del pecho', 'dolor en pecho', 'el pecho', 'mi pecho', 'ataque al corazón', 'infarto'],
    ...['falta el aire', 'falta de aire', 'falta aire', 'sin aire', 'falta la respiración', 'respirar', 'me ahogo', 'me asfixio'],
    ...['me desmayé', 'perdí el conocimiento', 'inconsciente', 'derrame cerebral', 'no puedo hablar', 'sangro mucho', 'vomito sangre'],
    ...['suicidio', 'suicidarme', 'matarme', 'quitarme la vida', 'quiero morir', 'quiero morirme'],
  ],
};

/** The shipped words, which are looked for in free texts whatever the language of the page. */
export const SHIPPED_URGENT_WORDS: readonly string[] = Object.values(SYMPTOMS).flat();
