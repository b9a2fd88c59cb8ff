import { Component, type ComponentChild, type ComponentType } from 'preact';

/** The same part, drawn anew only when one of its props is another. */
export function memo<P extends object>(Part: (props: P) => ComponentChild): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const names = new Set([...Object.keys(this.props), ...Object.keys(next)]);
      return [...names].some((name) => Reflect.get(this.props, name) !== Reflect.get(next, name));
    }

    override render(props: P): ComponentChild {
      return <Part {...props} />;
    }
  };
}
