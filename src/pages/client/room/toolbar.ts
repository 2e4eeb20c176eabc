import { hasTwoCameras } from '../media/devices.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { stateWords, toInitials } from '../media/tile.ts';
import { element, setToolWords, showBriefly } from '../page/page-elements.ts';
import { errorWords, WORDS } from '../words/words.ts';

interface ToolbarOptions {
  local: LocalMedia;
  name: string;
  isHost: boolean;
  leave(): void;
}

/** The buttons of the own devices, the own tile, and the way out. */
export class Toolbar {
  readonly #options: ToolbarOptions;

  constructor(options: ToolbarOptions) {
    this.#options = options;
    const { local, isHost, leave } = options;
    onPress('microphone', () => local.toggleMicrophone());
    onPress('camera', () => local.toggleCamera());
    onPress('turn', () => local.switchCamera());
    onPress('blur', () => local.toggleBlur());
    if (isHost) onPress('share', () => local.toggleScreen());
    onPress('leave', leave);
    serveMore();
    this.show();
  }

  /** Shows the state of the own devices. */
  show(): void {
    const { local, isHost, name } = this.#options;
    const { state } = local;
    const { tools } = WORDS;
    setTool('microphone', { hidden: !local.hasMicrophone, isOff: !state.microphone, words: state.microphone ? tools.mute : tools.unmute });
    const canSee = local.hasCamera;
    setTool('camera', { hidden: !canSee, isOff: !state.camera, words: state.camera ? tools.cameraOff : tools.cameraOn });
    setTool('blur', { hidden: !local.canBlur, isOff: false, words: local.isBlurred ? tools.sharp : tools.blur });
    if (isHost) {
      const hidden = !('getDisplayMedia' in (navigator.mediaDevices ?? {}));
      setTool('share', { hidden, isOff: false, words: state.sharing ? tools.stopSharing : tools.share });
    }
    void hasTwoCameras().then((two) => {
      element('turn', 'button').hidden = !two || !state.camera || state.sharing;
    });
    this.#showSelf(name);
  }

  #showSelf(name: string): void {
    const { local } = this.#options;
    const { state } = local;
    const isSeen = state.camera || state.sharing;
    const video = element('self', 'video');
    // A video element with an empty stream would keep the page in the loading state forever.
    video.srcObject = isSeen ? local.stream : null;
    video.hidden = !isSeen;
    video.classList.toggle('mirror', local.isMirrored);
    element('self-initials', 'span').hidden = isSeen;
    element('self-initials', 'span').textContent = toInitials(name || WORDS.people.you);
    const tile = element('self-tile', 'figure');
    tile.classList.toggle('is-muted', !state.microphone);
    const label = isSeen ? (local.isMirrored ? WORDS.people.selfMirrored : WORDS.people.self) : WORDS.people.you;
    const place = tile.querySelector('.name');
    if (place) place.textContent = label;
    element('self-state', 'span').textContent = stateWords(state, 'connected');
  }
}

interface ToolState {
  hidden: boolean;
  isOff: boolean;
  words: string;
}

function setTool(id: string, { hidden, isOff, words }: ToolState): void {
  const button = element(id, 'button');
  button.hidden = hidden;
  button.classList.toggle('off', isOff);
  setToolWords(id, words);
}

/** Calls `work` when the button is pressed; where it fails, says so. */
function onPress(id: string, work: () => Promise<void> | void): void {
  element(id, 'button').addEventListener('click', async () => {
    try {
      await work();
    } catch (error) {
      // A person who does not choose a screen to share has refused nothing that needs words.
      if (id !== 'share') showBriefly(errorWords(error, WORDS.socket.failed), 'alarm');
    }
  });
}

/** On narrow screens the further buttons open above the bar. Escape and a press elsewhere close them. */
function serveMore(): void {
  const [more, tools] = [element('more', 'button'), element('more-tools', 'div')];
  const show = (open: boolean): void => {
    more.ariaExpanded = String(open);
    tools.classList.toggle('open', open);
  };
  more.addEventListener('click', () => show(more.ariaExpanded !== 'true'));
  addEventListener('click', ({ target }) => {
    if (target instanceof Node && !more.contains(target)) show(false);
  });
  tools.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || more.ariaExpanded !== 'true') return;
    show(false);
    more.focus();
  });
}
