import React from "react";

/**
 * A button.
 */
export const Button: React.FC<Props> = ({ label }) => {
  return <button>{label}</button>;
};

interface Props {
  label: string;
  onClick?(): void;
}

export default class View extends React.Component<Props> {
  state = { open: false };

  render() {
    return <div className="view">{this.props.label}</div>;
  }
}
