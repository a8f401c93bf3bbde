# shellcheck shell=sh
# Reads only. One line on standard error for each reason not to go on; ends with 1 if there is any.
# Somebody's web server would end when it is masked and its machine restarts: the operator's to move.
if systemctl is-active --quiet nginx.service; then
    echo "found nginx.service running, expected none: it serves somebody, and our role masks it; move what it serves to another machine, or into a unit of its own, then systemctl disable --now nginx" >&2
    exit 1
fi
