# shellcheck shell=sh
# Lets `module avail` and `module load` find what lies in software/modulefiles of the shared file system. Nothing is looked
# up there before somebody asks, and root's shells go without: what root runs loads nothing from there.
if [ "$(id -u)" -ne 0 ]; then
  case :${MODULEPATH-}: in
  *:/opt/trainyard/software/modulefiles:*) ;;
  *) export MODULEPATH="${MODULEPATH:+$MODULEPATH:}/opt/trainyard/software/modulefiles" ;;
  esac
fi
