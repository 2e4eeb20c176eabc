/**
 * The phrases by which people end texts, as expressions over a clause that readable() of consent-reading.ts has written: lower case,
 * no accents, no apostrophes, single blanks, `dont` for "do not".
 */

/** Nouns for what the practice sends. */
export const TEXTS =
  '(?:texts?|txts?|text messages?|messages?|msgs?|mssgs?|sms|reminders?|notifications?|alerts?|spam|junk|emails? and texts?|mensajes?(?: de texto)?|textos?|mensajitos?|recordatorios?|notificaciones|avisos|alertas)';
const ANY = '(?:all|any|anymore|more|these|those|this|the|your|ur|ya|automated|annoying|constant|such|me|us|of|dumb|stupid|damn)';
const THE_TEXTS = `(?:${ANY} )*${TEXTS}`;

/** Verbs for writing to somebody, as a command and as a gerund. */
const WRITE = '(?:text|txt|message|msg|contact|write|write to|sms|email or text|call or text|text or call|bother|spam|harass|disturb)';
const WRITING =
  '(?:texting|txting|messaging|msging|contacting|writing|sending|bothering|spamming|harassing|disturbing|pestering|blowing up my phone)';
/** Words that limit an objection to a time or a place, so that it is no revocation. */
const NOT_LIMITED =
  '(?! (?:before|after|until|till|during|while|when|if|at (?:work|night|home|\\d)|on (?:my|the|this other)|in the|back|so (?:early|late)|at this hour))';

const STOPS = '(?:stop|quit|cease|discontinue|halt|end|no more|enough(?: with| of)?)';

/** Ends of texts that "stop" and its like name; not where somebody says the contrary. */
export const STOPPING = [
  `${STOPS} (?:with |it with |all |of )?${WRITING}${NOT_LIMITED}`,
  `(?:stop|quit|cease|discontinue|halt|end|cancel|disable|turn off|shut off|no more|enough(?: with| of)?) (?:the |with |sending |getting )*${THE_TEXTS}`,
  '(?:stop|quit) (?:to )?(?:text|txt|message|msg|contact)(?: me| us| this number| now| please|$)',
  '(?:want|like|need|wish|how do i|how can i|how to) (?:to )?(?:stop|quit|end) (?:getting|receiving) (?:all |any |the |these |your |ur )*(?:texts?|messages?|sms|these|this|those|reminders?)',
  '(?:unsubscribe|unsub|opt(?:ing)?[ -]?out|opt me out|opt us out)\\b',
  '(?:deje|dejen|deja|dejar|paren?|para|parar) (?:ya )?(?:de|con) (?:me )?(?:los |sus |estos )?(?:escrib|mand|envi|text|molest|contact|mensaj)\\w*',
  `(?:basta|suficiente|alto|paren?|cancele?n?|cancelar|detene?r|detengan?|termine?n?|terminar) (?:a |de |con |ya )*(?:de |los |sus |estos |mis |tantos |todos )*${TEXTS}`,
] as const;

/** Objections that need no word such as "stop". */
export const OBJECTING = [
  `(?:dont|never|no|not) (?:you )?(?:ever )?(?:again )?${WRITE} (?:me|us|this (?:number|phone)|my (?:phone|number|cell)|here|him|her|them)${NOT_LIMITED}`,
  '(?:dont|never) (?:ever )?(?:text|txt|message|msg|contact|bother|spam)(?: again| anymore| any more| please)*$',
  `(?:dont|never) (?:ever )?(?:send|sending) (?:me |us )?(?:${ANY} )*(?:${TEXTS}|anything|stuff|crap|these|this)`,
  `(?:dont|no longer|not) (?:want|wish|need|care|like) (?:to (?:get|receive|have|be getting|be receiving|see|hear) )?(?:from )?${THE_TEXTS}`,
  '(?:dont|no longer) (?:want|wish|like) (?:to be (?:texted|messaged|contacted|bothered|spammed)|you (?:guys )?(?:to (?:text|message|contact|write)|texting|messaging|contacting)|to hear from (?:you|u|yall|this))',
  '(?:dont|no longer|never) (?:give |gave |have )?(?:my )?consent(?:ed)?(?: to|$)',
  '(?:revoke|withdraw|rescind|retract|take back|cancel)(?:ing)? (?:my |any |all )?(?:consent|permission|authorization|subscription)',
  '(?:remove|delete|take|erase|drop|scrub|strike|get) (?:me|us|my (?:phone |cell )?(?:number|name|info)|this (?:phone |cell )?number)(?: off| out| away)?(?: (?:of|from|off)?(?: (?:your|ur|the|this|that|all|any))*(?: (?:call|calling|contact|mailing|text|texting|sms|messaging|marketing|spam))?(?: (?:lists?|database|system|records|texts?|messages?|phone|contacts|group|thread|chat)))(?: now| please| asap| immediately)*$',
  '(?:remove|unenroll|unregister|delete) (?:me|us|my (?:phone |cell )?number|this (?:phone |cell )?number)(?: now| please| asap| immediately)*$',
  'take (?:me|us|my (?:phone |cell )?number|this (?:phone |cell )?number) off(?: now| please| asap| immediately| this| it)*$',
  '(?:lose|forget) (?:my|this) number',
  'leave (?:me|us) (?:the \\w+ )?alone',
  '^(?:go away|get lost|fuck off|f off|piss off|bug off|buzz off|shut up|screw off|cut it out|knock it off|spam|this is spam|get off my phone)$',
  '^(?:you (?:have|got|have got|ve got)|youve got|u got|u have|this is|its|i think you have|i think this is|looks like you have|must be|you are texting|youre texting|texting)? ?(?:the |a )?wrong (?:number|person|phone)(?: (?:please|sorry|buddy|dude|man|sir|maam))*$',
  '^(?:this|it) (?:is not|isnt) (?:(?:my|the) )?(?:number (?:of|for) .{1,40}|[a-z]{2,20} (?:number|phone))$',
  '^(?:i )?(?:dont|no longer) (?:want|wish|care|like)(?: to (?:get|receive|have))? (?:any of )?(?:these|those)(?: anymore| any more)*$',
  '^[a-z]{2,20} (?:no longer has|doesnt have|doesnt use|no longer uses) this (?:number|phone)(?: anymore| any more)*$',
  `^(?:this|it|${THE_TEXTS}) (?:has to|have to|needs? to|must|should) stop$`,
  '^(?:i )?(?:want|need|would like) (?:it |this |you )?to stop$',
  '(?:told|asked|telling|asking|tell) (?:you|u|yall)(?: \\w+){0,3} to (?:stop|quit)$',
  '^(?:can|could|would|will|wont) (?:you|u|yall) (?:guys )?(?:please |just )?stop(?: it| this| that)?$',
  `^no (?:more )?(?:${ANY} )*${TEXTS}$`,
  `^(?:please )?no (?:more )?(?:${ANY} )*(?:texts?|messages?|sms)\\b`,
  '(?:do|can|may) (?:not|no longer) (?:text|message|contact)',
] as const;

/** The same in Spanish. */
export const OBJETANDO = [
  'no (?:me |nos )(?:vuelvan?s? a )?(?:manden?|mandes|mandar|envien?|envies|enviar|escriban?|escribas|escribir|texteen?|textees|textear|contacten?|contactes|contactar|molesten?|molestes|molestar|busquen)(?! (?:antes|hasta|despues|al? trabajo|en (?:el|la)|por la (?:noche|manana)|de noche|tan))(?: (?:nada|mas|ya|tantos|esos?|estos?|sus?|los|nunca))*(?: (?:mensajes?(?: de texto)?|textos?|sms|recordatorios|notificaciones|avisos|correos|por favor|porfavor))?$',
  'no (?:me |nos )(?:manden?|mandes|envien?|envies|escriban?|escribas|texteen?|textees|contacten?|contactes|molesten?|molestes) (?:mas|ya|nada)',
  'no (?:quiero|quisiera|deseo|necesito) (?:ya )?(?:mas |recibir |recibiendo |tener |sus |estos |los |esos |de |ningun |ninguno |nada de )*(?:mensajes?(?: de texto)?|textos?|sms|mensajitos?|recordatorios|notificaciones|avisos)',
  'no (?:quiero|quisiera|deseo) (?:mas )?(?:recibir|recibirlos)(?: mas| nada| nada mas)*$',
  'no (?:quiero|deseo) que (?:me|nos) (?:sigan? |vuelvan? a )?(?:escrib|mand|envi|text|contact|molest)\\w*',
  `no mas ${TEXTS}`,
  '(?:no )?(?:dejen?me|dejame|deje me) (?:en paz|tranquil[oa]|de molestar)',
  '(?:quiten?me|quitame|quitar(?:me)?|quiten|saquen?me|sacame|sacar(?:me)?|borren?me|borrame|eliminen?me|eliminame|retiren?me)(?: (?:de|mi|por) .{0,40}(?:lista|numero|base(?: de datos)?|sistema|telefono|mensajes|textos)| ya| por favor){0,3}$',
  '(?:borren?|borra|borrar|eliminen?|elimina|eliminar|quiten?|quita|quitar) mi (?:numero|telefono|celular)',
  '(?:de(?:n)?me|dame|darme|dar|quiero darme|denme) de baja',
  '(?:cancelar?|cancelen|anular?|anulen|terminar) (?:mi |la |esta )?(?:suscripcion|subscripcion)',
  '(?:desuscrib|desubscrib|dessuscrib|desinscrib)\\w*',
  '(?:revoco|retiro|cancelo) (?:mi )?(?:consentimiento|permiso|autorizacion)',
  'no (?:doy|autorizo|di) (?:mi )?(?:consentimiento|permiso|autorizacion|que me|estos mensajes)',
  '^(?:(?:tiene|tienen|es|este es|creo que tiene) )?(?:el |un )?(?:numero|persona) equivocad[oa]$',
  '^(?:este|ese|esto)?(?: ya)? ?no es (?:el |mi )?(?:numero|telefono|celular) de .{1,40}$',
  '^[a-z]{2,20} ya no (?:tiene|usa) este (?:numero|telefono|celular)$',
  '^(?:ya )?me estan molestando$',
  '^parada$',
  'se (?:equivoco|equivocaron|ha equivocado|han equivocado) de (?:numero|persona)',
  '^(?:no molesten?|no molestar|larguense|callense|no mas por favor)$',
] as const;

/** Clear wishes to get texts again; a whole text. */
export const STARTING = [
  '(?:re)?start (?:sending )?(?:me )?(?:the |your |my )*(?:texts?|messages?|reminders?|texting|sms|texting me)(?: again| me| me again| please)*',
  'resume(?: (?:the|your|my|texts?|messages?|reminders?|texting))*(?: me)?(?: again)?',
  '(?:re ?subscribe|subscribe)(?: me)?(?: again| please)*',
  '(?:opt|sign) me (?:back )?(?:in|up)(?: again| please)*',
  'opt (?:back )?in',
  '(?:you can|you may|please|ok to|feel free to|its ok to|i want you to) (?:start )?text(?:ing)? me again',
  '(?:i want|i would like|id like) (?:to (?:get|receive) )?(?:your |the |my )*(?:texts?|messages?|reminders?) again',
  '(?:quiero|deseo) (?:volver a )?recibir (?:de nuevo |otra vez )?(?:sus |los |mis )?(?:mensajes|textos|recordatorios)(?: de texto)?(?: de nuevo| otra vez)?',
  '(?:reanudar|reiniciar|activar|empezar|comenzar|iniciar)(?: (?:los|mis|sus))? (?:mensajes|textos)',
  '(?:pueden?|puede) (?:volver a )?(?:escribirme|mandarme mensajes|enviarme mensajes)(?: de nuevo| otra vez)?',
] as const;
