// What all parts of a document share.

import type { Store } from "../data/store";
import type { Events } from "../events/lists";
import type { Meta } from "../meta";
import type { Theme } from "../ui/theme";
import type { State } from "../view/state";

export interface Context {
  meta: Meta;
  store: Store;
  state: State;
  theme: Theme;
  events: Events;
}
