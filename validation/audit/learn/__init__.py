"""From what an audit understood to a site of this project's own. Pure."""
