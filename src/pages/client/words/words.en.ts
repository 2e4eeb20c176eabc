/** English texts that the scripts of a visit page write. */

const list = (names: string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** The server's messages are in English. */
const english: FailureWords = {
  byCode: {
    appointment_cancelled: 'Your appointment was cancelled. If you still need a visit, please call the practice.',
    appointment_moved:
      'Your appointment was moved to another time. Your practice tells you the new one; if you do not know it, please call.',
    refused: 'Your practice saw that you are here, and cannot see you right now. You can try again in a few minutes, or call the practice.',
  },
  otherwise: null,
};

export const en = {
  list,
  screens: {
    waitingRoom: 'In the waiting room',
    alone: 'You are in the visit',
    together: (names: string[]) => `In the visit with ${list(names)}`,
    joining: 'We are joining you again',
  },
  people: {
    practice: 'Your practice',
    guest: 'Guest',
    /** Of a person without a chart, who chose the name. */
    asGuest: (name: string) => `${name} (guest)`,
    you: 'You',
    /** Of the self-view, which is mirrored. */
    selfMirrored: 'You, mirrored',
    self: 'You, as the others see you',
    /** To a patient who is alone in the visit. */
    hostGone: (name: string) =>
      `${name} is not in the visit at the moment: they left, or lost the connection. Please stay on this page; it continues by itself when they are back. If nobody comes within five minutes, call the practice.`,
    came: (names: string[]) => `${list(names)} came in.`,
    left: (names: string[]) => `${list(names)} left.`,
    kinds: { host: 'Host', colleague: 'Colleague', patient: 'Patient', guest: 'Guest, not a patient of ours' },
    /** On the picture of a person: who is of the practice, and who only says who they are. */
    marks: { host: 'Host', colleague: 'Colleague', patient: '', guest: 'Guest' },
    remove: 'Take out',
    removeWho: (name: string) => `${name} leaves the visit, and must be admitted again to come back.`,
    attach: 'Attach a chart',
    attachAnother: 'Attach another chart',
    attached: (name: string) => `The chart of ${name} is attached. Pictures and recordings of this person go there.`,
  },
  states: {
    muted: 'muted',
    cameraOff: 'camera off',
    sharing: 'shares the screen',
    connecting: 'connecting …',
    reconnecting: 'reconnecting …',
    poor: 'the connection is bad',
  },
  tools: {
    mute: 'Mute',
    unmute: 'Unmute',
    cameraOff: 'Camera off',
    cameraOn: 'Camera on',
    share: 'Share screen',
    stopSharing: 'Stop sharing',
    record: 'Record',
    stopRecording: 'Stop recording',
    lock: 'Lock',
    unlock: 'Unlock',
    picture: 'Picture',
    recordingOf: (name: string) => `Recording of ${name}`,
    pictureOf: (name: string) => `Picture of ${name}`,
    blur: 'Blur background',
    sharp: 'Background sharp',
  },
  pictures: {
    whosePicture: 'Whose picture is it?',
    whoseRecording: 'Whose recording is it?',
    choosePerson: 'Choose a person',
    nobody: 'Nobody is in the picture.',
    notYet: 'There is no picture yet.',
    failed: 'The browser could not take the picture.',
    kept: 'The picture was saved.',
    keptOf: (name: string) => `The picture of ${name} was saved.`,
    recordingKept: 'The recording was saved.',
    keeping: 'The recording is being saved …',
    waitForKeeping: 'Please keep this page open until the recording is saved.',
    cannotRecord: 'This browser cannot record. Please use another one.',
    unreachable: (what: 'images' | 'videos') =>
      `The ${what === 'images' ? 'picture' : 'recording'} could not be saved: the practice cannot be reached.`,
    refused: 'It could not be saved. Please try again.',
  },
  still: {
    asks: (site: string) => `Of this part of the body: ${site}`,
    asked: 'The picture was requested. You will be notified when it arrives.',
    taken: 'The requested picture is in the chart.',
    refused: 'The requested picture was not sent.',
    sent: 'Your picture was sent to your practice.',
    noCamera: 'The camera cannot be opened. You can press Not now, and tell your practice.',
    sending: 'The picture is being sent …',
  },
  recording: {
    waits: (names: string[]) => `It begins when all have agreed. We are asking ${list(names)}.`,
    declined: (names: string[]) => `It is not recorded: ${list(names)} said no.`,
  },
  visits: {
    choose: (present: string[], name: string) =>
      `${list(present)} ${present.length > 1 ? 'are' : 'is'} in the visit. Admit ${name} with them, or begin the next visit? That sends ${list(present)} out.`,
    /** `left` are those who were seen in the visit last; none after a reload of the page. */
    chooseAfter: (left: string[], name: string) =>
      `${left.length === 0 ? 'Somebody' : list(left)} left less than a minute ago, and may come back. Admit ${name} with them, or begin the next visit?`,
  },
  socket: {
    lost: 'The connection was lost.',
    offline: 'You have no connection to the internet at the moment. This page continues by itself when it is back.',
    rejoining: (why: string) => `${why} We are joining you again …`,
    unreachable: 'The practice cannot be reached.',
    protocol: 'The connection was ended because of an error of this page. Reload it to join again.',
    otherWindow: 'This visit was opened in another window. Continue there.',
    left: 'You have left the visit.',
    failed: 'This did not work.',
  },
  over: {
    removed: 'You were removed from the visit',
    visit_over: 'Your visit has ended',
    ended: 'The visit has ended',
    refused: 'Not now',
    left: 'Goodbye',
    replaced: 'Open in another window',
    room_full: 'The visit is full',
    room_locked: 'The visit is locked',
    session_ended: 'The visit has ended',
    link_expired: 'This link has expired',
    link_withdrawn: 'This link was withdrawn',
    appointment_cancelled: 'Your appointment was cancelled',
    appointment_moved: 'Your appointment was moved',
  },
  waiting: {
    isWaiting: (names: string[]) => `${list(names)} ${names.length === 1 ? 'is' : 'are'} waiting.`,
    since: (time: string) => `since ${time}`,
    meets: (name: string) => `for ${name}`,
    devices: ({ camera, microphone }: { camera: boolean; microphone: boolean }): string => {
      if (camera && microphone) return 'camera and microphone work';
      if (camera) return 'no microphone';
      return microphone ? 'no camera' : 'no camera, no microphone';
    },
    admit: 'Admit',
    refuse: 'Not now',
    answered: 'answered: not now',
    notNow: 'Your practice saw that you are here, and cannot see you right now. You keep your place; if it is urgent, call the practice.',
    heading: (count: number) => (count === 0 ? 'No one is waiting' : count === 1 ? '1 person is waiting' : `${count} people are waiting`),
    /** In the question before the visit is ended for everyone. */
    still: (names: string[]) => `${list(names)} ${names.length === 1 ? 'is' : 'are'} still waiting, and will not be seen.`,
    notSeen: 'You were not admitted. Please call your practice, or ask it for a new link.',
    late: (minutes: number) => `Your practice is running about ${minutes} minutes late. You keep your place.`,
    when: (text: string) => `, ${text}`,
  },
  chat: {
    head: (name: string, time: string) => `${name}, ${time}`,
    wrote: (name: string, text: string) => `${name} writes: ${text}`,
    unread: (count: number) => `Chat, ${count} unread`,
  },
  devices: {
    works: 'works',
    seen: 'You, mirrored. The others see you the right way round.',
    checking: 'is being checked …',
    speak: 'Say something: the bar moves.',
    heard: 'hears you',
    notFound: 'not found',
    notAllowed: 'not allowed',
    inUse: 'is in use by another program',
    toneHint: 'Press to hear a tone',
    tonePlayed: 'If you heard nothing, turn up the sound.',
    noSound: 'This browser cannot play the tone.',
    network: { good: 'good', slow: 'slow: it may be interrupted', none: 'The practice cannot be reached.' },
    still: 'You can still join: you will see and hear the others.',
    noCameraOnly: 'The others will hear you, and not see you.',
    noMicrophoneOnly: 'The others will see you, and not hear you. You can write in the chat.',
    secureOnly: 'This browser allows camera and microphone only on secure pages (https).',
    none: 'No camera and no microphone was found.',
    busy: (what: string) => `Your ${what} cannot be used: another program uses it. Close that program, then reload this page.`,
    missing: (what: string) => `No ${what} was found.`,
    denied: (what: string) => `The browser does not let this page use your ${what}.`,
    names: { both: 'camera and microphone', camera: 'camera', microphone: 'microphone' },
    allow: {
      ios: 'On the iPhone or iPad: open Settings, then your browser, allow camera and microphone, and reload this page.',
      safari: 'In Safari: open the menu Safari, then Settings for this website, allow camera and microphone, and reload this page.',
      android: 'In Chrome: tap the icon to the left of the address, then Permissions, allow both, and reload this page.',
      chrome: 'Click the icon to the left of the address, allow camera and microphone, and reload this page.',
      firefox: 'In Firefox: press the crossed-out camera to the left of the address, remove the block, and reload this page.',
      inApp: 'You opened the link inside another app. Open it in your usual browser instead: look for “Open in browser” in the menu.',
    },
  },
  /** Of a name that the server refuses. */
  nameRefused: (message: string) => message.replace(/^name: /, 'Your name '),
  failures: english,
};

/** By the codes of the server's failures and `closing` messages. */
interface FailureWords {
  byCode: Partial<Record<string, string>>;
  /** Of any other code; null for the server's own message, which is in English. */
  otherwise: string | null;
}

export type Words = typeof en;
